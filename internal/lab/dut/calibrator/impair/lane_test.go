package impair

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/forward"
)

// balanced checks that no packet is missing from the account.
func balanced(t *testing.T, b *bench, a Trial, n int) {
	t.Helper()
	var lost uint64
	for _, k := range a.Lost {
		lost += k
	}
	if a.Received != uint64(n) || a.Forwarded-a.Duplicated+lost != a.Received || !b.idle() {
		t.Errorf("of %d: received %d, forwarded %d with %d copies, lost %v", n, a.Received, a.Forwarded, a.Duplicated, a.Lost)
	}
	if uint64(len(b.sent)) != a.Forwarded {
		t.Errorf("%d frames left, the ledger has %d", len(b.sent), a.Forwarded)
	}
	if free := len(b.pool.free); free != cap(b.pool.free) {
		t.Errorf("%d of %d buffers came back", free, cap(b.pool.free))
	}
}

func TestNothingIsDoneUnasked(t *testing.T) {
	b := newBench(t, "", forward.Uplink)
	a := b.flow(1000, 100)
	balanced(t, b, a, 1000)
	if a.Right != 1000 || a.Reordered != 0 || a.Delay.Max != 0 || a.Latency.Min != 50 || a.Latency.Max != 50 {
		t.Errorf("account %+v", a)
	}
	if !slices.IsSorted(b.sequences()) {
		t.Error("the order changed")
	}
}

func TestLossByChance(t *testing.T) {
	const n, p = 100000, 0.013
	b := newBench(t, "loss=0.013", forward.Uplink)
	a := b.flow(n, 100)
	balanced(t, b, a, n)
	lost := float64(a.Lost["loss"])
	if sigma := math.Sqrt(n * p * (1 - p)); math.Abs(lost-n*p) > 4*sigma {
		t.Errorf("%v of %d lost, %v expected", lost, n, n*p)
	}
	again := newBench(t, "loss=0.013", forward.Uplink)
	again.flow(n, 100)
	if !slices.Equal(again.sequences(), b.sequences()) {
		t.Error("the same seed lost other packets")
	}
	other := newBench(t, "loss=0.013,seed=2", forward.Uplink)
	other.flow(n, 100)
	if slices.Equal(other.sequences(), b.sequences()) {
		t.Error("another seed lost the same packets")
	}
}

func TestLossOfEveryNth(t *testing.T) {
	b := newBench(t, "loss=1/100", forward.Downlink)
	a := b.flow(1000, 100)
	balanced(t, b, a, 1000)
	if a.Lost["loss"] != 10 || slices.Contains(b.sequences(), 99) || !slices.Contains(b.sequences(), 100) {
		t.Errorf("lost %v", a.Lost)
	}
}

func TestDuplicates(t *testing.T) {
	b := newBench(t, "duplicate=1/10", forward.Uplink)
	a := b.flow(1000, 100)
	balanced(t, b, a, 1000)
	if a.Duplicated != 100 || a.Forwarded != 1100 || a.Right != 1000 || a.Reordered != 0 || a.Delay.Count != 1000 {
		t.Errorf("account %+v", a)
	}
	if s := b.sequences(); s[9] != 9 || s[10] != 9 || s[11] != 10 {
		t.Errorf("order %v", s[:12])
	}
}

func TestReordering(t *testing.T) {
	for _, c := range []struct {
		text string
		want []uint64
	}{
		{"reorder=1/4", []uint64{0, 1, 2, 4, 3, 5, 6, 8, 7}},
		{"reorder=1/4,depth=3", []uint64{0, 1, 2, 4, 5, 6, 3, 8, 9, 10, 7}},
	} {
		b := newBench(t, c.text, forward.Uplink)
		a := b.flow(400, 1000)
		balanced(t, b, a, 400)
		if got := b.sequences()[:len(c.want)]; !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.text, got, c.want)
		}
		if a.Reordered != 99 { // no packet overtakes the last
			t.Errorf("%s: %d reordered of 400, want 99", c.text, a.Reordered)
		}
	}
}

// TestReorderedLast: a packet that none overtakes leaves after a while.
func TestReorderedLast(t *testing.T) {
	b := newBench(t, "reorder=1/4", forward.Uplink)
	b.flow(4, 1000)
	if len(b.sent) != 4 || b.when[3]-b.when[2] < heldAtMost {
		t.Errorf("%d left, at %v", len(b.sent), b.when)
	}
}

func TestCorruption(t *testing.T) {
	b := newBench(t, "corrupt=1/2", forward.Uplink)
	a := b.flow(2000, 100)
	balanced(t, b, a, 2000)
	if a.Corrupted != 1000 || a.Right != 1000 || a.Latency.Count != 1000 {
		t.Errorf("account %+v", a)
	}
	places := map[int]bool{}
	for n, f := range b.sent {
		payload := make([]byte, testPayload)
		writeMark(payload, 2, uint64(n), 10000+uint64(n)*100)
		at := differences(f[14:], payload)
		if n%2 == 0 && len(at) != 0 || n%2 == 1 && len(at) != 1 {
			t.Fatalf("packet %d differs at %v", n, at)
		}
		for _, i := range at {
			places[i] = true
		}
	}
	if len(places) != testPayload-2 || places[2] || places[3] {
		t.Errorf("%d places were hit, want all but the trial's", len(places))
	}
}

func differences(a, b []byte) []int {
	var at []int
	for i := range a {
		if a[i] != b[i] {
			at = append(at, i)
		}
	}
	return at
}

func TestWrongTEID(t *testing.T) {
	b := newBench(t, "wrong-teid=1/5", forward.Downlink)
	a := b.flow(100, 100)
	balanced(t, b, a, 100)
	if a.WrongTEID != 20 || a.Right != 80 || b.sent[4][teidOffset+3] != 8 || b.sent[5][teidOffset+3] != 7 {
		t.Errorf("account %+v, TEIDs %d and %d", a, b.sent[4][teidOffset+3], b.sent[5][teidOffset+3])
	}
	if a := newBench(t, "wrong-teid=1/5", forward.Uplink).flow(100, 100); a.WrongTEID != 0 {
		t.Errorf("uplink: %d with a wrong TEID", a.WrongTEID)
	}
}

// TestFaultsDoNotMeet: a wrong packet has one cause.
func TestFaultsDoNotMeet(t *testing.T) {
	b := newBench(t, "corrupt=0.5,wrong-teid=0.5,duplicate=0.3,reorder=0.2,loss=0.1", forward.Downlink)
	a := b.flow(10000, 100)
	balanced(t, b, a, 10000)
	if a.Right+a.Corrupted+a.WrongTEID < a.Forwarded-a.Duplicated || a.Corrupted+a.WrongTEID+a.Right > a.Forwarded {
		t.Errorf("account %+v", a)
	}
}

func TestConstantDelay(t *testing.T) {
	b := newBench(t, "delay=250us", forward.Uplink)
	a := b.flow(1000, 3000)
	balanced(t, b, a, 1000)
	if a.Delay.Min != 250000 || a.Delay.Max != 250000 || a.Latency.P50 != 250050 || a.DelayJitterNS != 0 {
		t.Errorf("delay %+v", a.Delay)
	}
}

func TestJitter(t *testing.T) {
	for _, c := range []struct {
		text      string
		deviation float64 // of the delay, ns
		jitter    float64 // RFC 3550's expectation: the mean of |D|
	}{
		// |difference of two uniform| has the mean w/3; w is 200 us.
		{"delay=500us,jitter=100us", 200e3 / math.Sqrt(12), 200e3 / 3},
		// of two normal: 2 sigma / sqrt(pi)
		{"delay=500us,jitter=100us,distribution=normal", 100e3, 2 * 100e3 / math.Sqrt(math.Pi)},
	} {
		b := newBench(t, c.text, forward.Uplink)
		a := b.flow(20000, 1e6) // so far apart that the order changes nothing
		balanced(t, b, a, 20000)
		if math.Abs(a.Delay.Mean-500e3) > 4*c.deviation/math.Sqrt(20000) {
			t.Errorf("%s: mean delay %v", c.text, a.Delay.Mean)
		}
		if math.Abs(a.DelayJitterNS-c.jitter)/c.jitter > 0.02 || math.Abs(a.SendJitterNS-c.jitter)/c.jitter > 0.02 {
			t.Errorf("%s: jitter %v and %v, want %v", c.text, a.DelayJitterNS, a.SendJitterNS, c.jitter)
		}
	}
}

// TestJitterKeepsOrder: packets that are closer than the jitter do not overtake.
func TestJitterKeepsOrder(t *testing.T) {
	b := newBench(t, "delay=500us,jitter=500us", forward.Uplink)
	a := b.flow(5000, 1000)
	balanced(t, b, a, 5000)
	if a.Reordered != 0 || !slices.IsSorted(b.sequences()) {
		t.Errorf("%d reordered", a.Reordered)
	}
}

func TestStall(t *testing.T) {
	b := newBench(t, "stall=20ms/1s", forward.Uplink)
	a := b.flow(3000, 1e6)
	balanced(t, b, a, 3000)
	if a.Delay.Max < 18e6 || a.Delay.Max > 20e6 || a.Delay.P50 != 0 {
		t.Errorf("delay %+v", a.Delay)
	}
	for _, at := range b.when {
		if phase := (at - 1000) % 1e9; phase >= 980e6 {
			t.Fatalf("something left %d ns into a period", phase)
		}
	}
}

func TestRateOfTheServer(t *testing.T) {
	for _, text := range []string{"rate=80kpps,queue=64", "rate=80k,queue=64,service=exponential", "rate=80kpps,queue=64,batch=8"} {
		b := newBench(t, text, forward.Downlink)
		a := b.flow(100000, 6667) // 150 kpps
		balanced(t, b, a, 100000)
		span := float64(b.when[len(b.when)-1]-b.when[0]) / 1e9
		rate := float64(a.Forwarded) / span
		if math.Abs(rate-80e3)/80e3 > 0.01 || a.QueueMax != 64 {
			t.Errorf("%s: %.0f pps left, at most %d inside", text, rate, a.QueueMax)
		}
	}
}

// TestQueueTakesABurst: of packets that come at once as many stay as there is
// room for.
func TestQueueTakesABurst(t *testing.T) {
	b := newBench(t, "rate=1kpps,queue=64", forward.Uplink)
	a := b.flow(200, 0)
	balanced(t, b, a, 200)
	if a.Forwarded != 64 || a.Lost["queue"] != 136 || a.Delay.Max != 64e6 {
		t.Errorf("account %+v", a)
	}
}

// TestBlocking compares M/M/1/K with its formula.
func TestBlocking(t *testing.T) {
	const n, k, rho = 300000, 8, 0.9
	b := newBench(t, "rate=100kpps,queue=8,service=exponential", forward.Uplink)
	random := rand.New(rand.NewPCG(3, 4))
	at := 10000.0
	for i := range n {
		at += random.ExpFloat64() * 10000 / rho
		b.arrive(2, uint64(i), uint64(at))
	}
	b.until(b.at + 10e9)
	a, _ := Side{Trials: b.book.view(accountsMax)}.Find(2)
	want := (1 - rho) * math.Pow(rho, k) / (1 - math.Pow(rho, k+1))
	if got := float64(a.Lost["queue"]) / n; math.Abs(got-want)/want > 0.03 {
		t.Errorf("blocked %.4f, want %.4f", got, want)
	}
	// Little's law: mean number inside by mean time inside.
	inside := rho/(1-rho) - (k+1)*math.Pow(rho, k+1)/(1-math.Pow(rho, k+1))
	delay := inside / (rho * 100e3 * (1 - want)) * 1e9
	if math.Abs(a.Delay.Mean-delay)/delay > 0.03 {
		t.Errorf("mean delay %.0f ns, want %.0f", a.Delay.Mean, delay)
	}
}

func TestBatchLeavesTogether(t *testing.T) {
	b := newBench(t, "rate=1kpps,queue=100,batch=4", forward.Uplink)
	b.flow(9, 0) // the first alone, for it finds the server idle
	want := []uint64{1e6, 5e6, 5e6, 5e6, 5e6, 9e6, 9e6, 9e6, 9e6}
	for i, at := range b.when {
		if at-10000 != want[i] {
			t.Errorf("packet %d left after %v, want %v", i, time.Duration(at-10000), time.Duration(want[i]))
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	b := newBench(t, "delay=1ms", forward.Uplink)
	n := cap(b.pool.free) + 100
	a := b.flow(n, 0)
	balanced(t, b, a, n)
	if a.Lost["memory"] != 100 {
		t.Errorf("lost %v", a.Lost)
	}
}

// TestRefusedFrames: what the kernel does not take is lost, and only that.
func TestRefusedFrames(t *testing.T) {
	b := newBench(t, "duplicate=1/2", forward.Uplink)
	n := 0
	b.fail = func() error {
		if n++; n%5 == 0 {
			return unix.ENOBUFS
		}
		return nil
	}
	a := b.flow(100, 100)
	if a.Lost["egress"] == 0 || a.Forwarded+a.Lost["egress"] != 150 || len(b.pool.free) != cap(b.pool.free) {
		t.Errorf("account %+v", a)
	}
}

func TestTrialsAreApart(t *testing.T) {
	b := newBench(t, "loss=1/10", forward.Uplink)
	for trial := range uint16(accountsMax + 10) {
		for n := range uint64(10) {
			b.arrive(trial+1, n, 10000+uint64(trial)*1000+n)
		}
	}
	b.until(b.at + 1e9)
	side := Side{Trials: b.book.view(accountsMax)}
	if len(side.Trials) != accountsMax || side.Trials[0].Trial != 11 {
		t.Fatalf("%d trials, from %d", len(side.Trials), side.Trials[0].Trial)
	}
	for _, a := range side.Trials {
		if a.Received != 10 || a.Right != 9 || a.Reordered != 0 {
			t.Errorf("trial %d: %+v", a.Trial, a.Counts)
		}
	}
	if b.book.totals.received != 10*(accountsMax+10) {
		t.Errorf("%d in all", b.book.totals.received)
	}
}

func TestNothingAllocates(t *testing.T) {
	b := newBench(t, "loss=0.01,duplicate=0.1,reorder=0.1,corrupt=0.1,wrong-teid=0.1,delay=1us,jitter=1us,rate=10Mpps", forward.Downlink)
	b.send = func(frames [][]byte) (int, error) { return len(frames), nil }
	n := uint64(0)
	allocations := testing.AllocsPerRun(1000, func() {
		b.arrive(2, n, 10000+n*10000)
		n++
	})
	if allocations != 0 {
		t.Errorf("%v allocations a packet", allocations)
	}
}
