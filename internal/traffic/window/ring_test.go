package window

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/upflab/upflab/internal/proto/histogram"
	"github.com/upflab/upflab/internal/record"
)

const start = 1 << 50 // ns, of some trial

// TestWidthIsThatOfResults: what a result says of its windows is of windows of this length.
func TestWidthIsThatOfResults(t *testing.T) {
	if Width != record.WindowNS {
		t.Errorf("a window is %d ns long, and results take it for %d", Width, record.WindowNS)
	}
}

// at is a time in the n-th window after the start.
func at(n uint64) uint64 { return start + n<<Bits }

// count books packets that were due in the n-th window; it reports whether there was
// where to.
func count(r *Ring[Received, *Received], n uint64, packets int) bool {
	for range packets {
		w := r.At(at(n))
		if w == nil {
			return false
		}
		w.Packets++
		w.Latency.Add(n)
	}
	return true
}

// fold ends the n-th window and gives how many packets it had.
func fold(r *Ring[Received, *Received], n uint64, keep bool) (packets uint64) {
	r.Fold(ID(at(n)), keep, func(w *Received) { packets += w.Packets })
	return packets
}

func TestRing(t *testing.T) {
	r := New[Received]()
	for n := range uint64(3 * Size) {
		if !count(r, n, int(n%5)) || !r.Complete(ID(at(n))) {
			t.Fatalf("window %d has no slot", n)
		}
		if n < 10 {
			continue
		}
		if got := fold(r, n-10, true); got != (n-10)%5 {
			t.Fatalf("window %d: %d packets, want %d", n-10, got, (n-10)%5)
		}
	}
}

// TestLatePackets: a packet of a window that was decided on counts with those that were
// kept, or nowhere, never in the window that has its slot now.
func TestLatePackets(t *testing.T) {
	r := New[Received]()
	count(r, 0, 1)
	count(r, 1, 1)
	fold(r, 0, true)
	fold(r, 1, false)
	for n := range uint64(Size) {
		fold(r, n+2, true)
	}
	count(r, Size+2, 1)
	if !count(r, 2, 3) || !count(r, 0, 4) {
		t.Error("late packets of windows that were kept have no place")
	}
	if count(r, 1, 1) {
		t.Error("a late packet of an excluded window has a place")
	}
	if got := fold(r, Size+2, true); got != 1 {
		t.Errorf("%d packets in the window that took the slot, want 1", got)
	}
	var late uint64
	r.Late(func(w *Received) { late += w.Packets })
	if late != 7 {
		t.Errorf("%d late packets, want 7", late)
	}
	for n := uint64(Size + 3); n < remembered+Size; n++ {
		fold(r, n, true)
	}
	if count(r, 0, 1) {
		t.Error("a packet of a window that is forgotten has a place")
	}
}

// TestSlotsThatAreTaken: when nobody folds for longer than the ring holds, the windows
// that find their slots taken are not complete, also when they get them later.
func TestSlotsThatAreTaken(t *testing.T) {
	r := New[Received]()
	count(r, 0, 1)
	if count(r, Size, 1) {
		t.Fatal("a window counts in the slot of another one")
	}
	if !r.Complete(ID(at(0))) || r.Complete(ID(at(Size))) {
		t.Errorf("complete: %v, %v; want the older one", r.Complete(ID(at(0))), r.Complete(ID(at(Size))))
	}
	fold(r, 0, true)
	if !count(r, Size, 2) || r.Complete(ID(at(Size))) {
		t.Error("a window that got its slot late is complete")
	}
	if count(r, 2*Size, 1) || r.Complete(ID(at(Size))) || r.Complete(ID(at(2*Size))) {
		t.Error("a window that got its slot late is complete when the next one found it taken")
	}
	fold(r, Size, false)
	if r.Complete(ID(at(2 * Size))) {
		t.Error("a window whose packets found the slot taken is complete")
	}
	fold(r, 2*Size, false)
	if !count(r, 3*Size, 1) || !r.Complete(ID(at(3*Size))) {
		t.Error("the window after those is not complete")
	}
	r.Reset()
	if r.Complete(ID(at(0))) != true || fold(r, 3*Size, true) != 0 {
		t.Error("Reset leaves something")
	}
}

// TestValues: what was added comes out, and nothing is left.
func TestValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var v Values
	for range 3 {
		var want, got Counts
		least, most, sum := ^uint64(0), uint64(0), uint64(0)
		for range 1000 {
			x := r.Uint64() >> (24 + r.IntN(40))
			v.Add(x)
			want[histogram.Bucket(x)]++
			least, most, sum = min(least, x), max(most, x), sum+x
		}
		if a, b, c := v.Extremes(); a != least || b != most || c != sum {
			t.Errorf("from %d to %d, in all %d; want %d, %d, %d", a, b, c, least, most, sum)
		}
		if n := v.AddTo(&got); n != 1000 || got != want {
			t.Errorf("%d counts, not those that were added", n)
		}
		v.Clear()
		if v != (Values{}) || !v.Empty() {
			t.Error("something is left")
		}
	}
}

// TestLayout: what programs write often is in lines of its own.
func TestLayout(t *testing.T) {
	const line = 64
	for what, at := range map[string]uintptr{
		"values": unsafe.Offsetof(Values{}.buckets), "sent": unsafe.Offsetof(Sent{}.Lateness), "received": unsafe.Offsetof(Received{}.Latency),
		"all values": unsafe.Sizeof(Values{}), "all received": unsafe.Sizeof(Received{}), "all sent": unsafe.Sizeof(Sent{}),
	} {
		if at%line != 0 {
			t.Errorf("%s: %d octets, want whole lines of %d", what, at, line)
		}
	}
}

// BenchmarkFold: 100 ms of windows with a spread as of a UPF at 500 kpps.
func BenchmarkFold(b *testing.B) {
	var counts [3]Counts
	ring, r := New[Received](), rand.New(rand.NewPCG(1, 2))
	var n uint64
	for b.Loop() {
		b.StopTimer()
		for range 24 {
			for range 2000 {
				w := ring.At(at(n))
				w.Packets++
				delay := uint64(5000 * (1 + r.ExpFloat64()))
				w.Latency.Add(delay + 100)
				w.Actual.Add(delay)
				w.IPDV.Add(uint64(1000 * r.ExpFloat64()))
			}
			n++
		}
		b.StartTimer()
		for i := n - 24; i < n; i++ {
			ring.Fold(ID(at(i)), true, func(w *Received) {
				for i, v := range []*Values{&w.Latency, &w.Actual, &w.IPDV} {
					v.AddTo(&counts[i])
				}
			})
		}
	}
}
