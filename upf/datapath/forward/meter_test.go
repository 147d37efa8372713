package forward

import (
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// policed offers a session's uplink packets at twice its MBR, by a clock of its own, and
// gives the rate that was forwarded, bits/s, once the bucket was used up.
func policed(t *testing.T, mbr uint64) float64 {
	t.Helper()
	r := datapathtest.Session(1)
	r.QERs[0].MBRUL = mbr
	table := NewTable(1, pools())
	if err := table.Apply([]datapath.Change{{New: r}}); err != nil {
		t.Fatal(err)
	}
	octets, packets := 1400, 400_000
	if mbr >= 10e9 { // 6.5 s of 100 Gbit/s, of which the bucket holds 0.25 s
		octets, packets = 64_000, 5_000_000
	}
	row, gap := &table.uplink[1].rows[0], float64(octets)*8*1e9/float64(2*mbr)
	forwarded := 0
	for i := range packets {
		if row.admit(octets, uint64(1e12+float64(i)*gap)) && i >= packets/2 {
			forwarded++
		}
	}
	return float64(forwarded*octets*8) / (float64(packets/2) * gap / 1e9)
}

func TestMaximumBitRate(t *testing.T) {
	for _, mbr := range []uint64{64e3, 1e6, 20e6, 1e9, 10e9, 100e9} {
		got := policed(t, mbr)
		if ratio := got / float64(mbr); ratio < 0.99 || ratio > 1.01 {
			t.Errorf("MBR %d bit/s: %.0f were forwarded, ratio %.4f", mbr, got, ratio)
		}
	}
}

// TestAveragingWindowIsABucket: of twice an MBR, at most the MBR and an eighth passes in any averaging window. It is that
// in the first window after a pause; when the bucket is used up it is the MBR, within a packet.
func TestAveragingWindowIsABucket(t *testing.T) {
	const mbr, octets, window = 2e6, 1400, 2e9
	q := session.QER{MBRUL: mbr}
	row := row{meters: []*meter{{Rate: plan.RateOf(&q, session.Access)}}}
	const gap = octets * 8 * 1e9 / (2 * mbr)
	var times []float64 // of what is forwarded
	for at := 1e12; at < 1e12+10*window; at += gap {
		if row.admit(octets, uint64(at)) {
			times = append(times, at)
		}
	}
	most, first := 0.0, 0
	for end := range times {
		for times[end]-times[first] >= window {
			first++
		}
		rate := float64((end-first+1)*octets*8) / (window / 1e9)
		most = max(most, rate)
		if rate > mbr+octets*8 && times[first] > 1e12+window {
			t.Fatalf("%.0f bit/s are forwarded in the window from %.3f s on, want %.0f", rate, (times[first]-1e12)/1e9, mbr)
		}
	}
	if want := mbr * 9 / 8.; most > want+2*octets*8 || most < want-2*octets*8 {
		t.Errorf("at most %.0f bit/s are forwarded in a window, want %.0f", most, want)
	}
}

// TestMeterWakes: a meter that was idle for longer than its times can tell is as one
// that was idle for a moment.
func TestMeterWakes(t *testing.T) {
	m := &meter{}
	r := row{meters: []*meter{m}}
	m.Cost, m.Depth = 100<<16, 1000<<16
	const day = 86_400e9
	for i := range uint64(200) {
		if !r.admit(20, i*day/8) {
			t.Fatalf("the packet after %d eighths of a day is refused", i)
		}
	}
}

// TestMetersTakeAllOrNone: what one meter refuses is not counted by the others.
func TestMetersTakeAllOrNone(t *testing.T) {
	wide, narrow := &meter{}, &meter{}
	wide.Cost, wide.Depth = 1<<16, 1e9<<16
	narrow.Cost, narrow.Depth = 1000<<16, 0
	r := row{meters: []*meter{wide, narrow}}
	if !r.admit(100, 1000) || r.admit(100, 1000) {
		t.Fatal("the narrow meter takes one packet, not two")
	}
	if want := int64(1100 << 16); wide.next != want {
		t.Errorf("the wide meter is at %d, want %d: one packet", wide.next, want)
	}
}

// TestMeterLives: the PDRs of a session share a QER's rate, a change of the session
// that leaves it alone goes on with it, and none is left behind.
func TestMeterLives(t *testing.T) {
	r := datapathtest.Session(1)
	r.QERs[0].MBRUL, r.QERs[0].MBRDL = 1e6, 1e6
	second := r.PDRs[0]
	second.ID, second.Precedence, second.PDI.QFIs = 3, 1, session.QFIs(5)
	r.PDRs = append(r.PDRs, second)
	table := NewTable(1, pools())
	apply := func(c datapath.Change) {
		t.Helper()
		if err := table.Apply([]datapath.Change{c}); err != nil {
			t.Fatal(err)
		}
	}
	apply(datapath.Change{New: r})
	rows := table.uplink[1].rows
	if len(rows) != 2 || rows[0].meters[0] != rows[1].meters[0] {
		t.Fatalf("the PDRs' rows %+v share no meter", rows)
	}
	moved := r.Clone()
	moved.FARs[1].Outer.TEID++
	apply(datapath.Change{Old: r, New: moved})
	if table.uplink[1].rows[0].meters[0] != rows[0].meters[0] {
		t.Error("a change of another rule begins a new meter")
	}
	faster := moved.Clone()
	faster.QERs[0].MBRUL = 2e6
	apply(datapath.Change{Old: moved, New: faster})
	if table.uplink[1].rows[0].meters[0] == rows[0].meters[0] {
		t.Error("the old rate goes on")
	}
	apply(datapath.Change{Old: faster})
	if n := len(table.meters); n != 0 {
		t.Errorf("%d meters are left", n)
	}
}

func pools() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")} }

// burst offers packets of a session at one moment every period, and gives how many of
// them were forwarded.
func burst(t *testing.T, q session.QER, packets int, period time.Duration, times int) (forwarded int) {
	t.Helper()
	r := datapathtest.Session(1)
	q.ID, q.QFI, q.GateUL, q.GateDL = r.QERs[0].ID, r.QERs[0].QFI, true, true
	r.QERs[0] = q
	table := NewTable(1, pools())
	if err := table.Apply([]datapath.Change{{New: r}}); err != nil {
		t.Fatal(err)
	}
	row := &table.uplink[1].rows[0]
	for i := range times * packets {
		at := uint64(1e12) + uint64(i/packets)*uint64(period)
		if row.admit(1428, at) {
			forwarded++
		}
	}
	return forwarded
}

// TestBursts: bursts that stay well below the rate over the averaging window pass whole, and
// a shorter window allows shorter bursts.
func TestBursts(t *testing.T) {
	const times = 50
	for _, c := range []struct {
		story         string
		q             session.QER
		packets, want int // in a burst, each 100 ms
	}{
		{"1.8 of 10 Mbit/s", session.QER{MBRUL: 10e6}, 16, 16},
		{"7.3 of 100 Mbit/s", session.QER{MBRUL: 100e6}, 64, 64},
		{"window of 80 ms: 10 ms at once", session.QER{MBRUL: 10e6, Window: 80 * time.Millisecond}, 16, 9},
	} {
		if got := burst(t, c.q, c.packets, 100*time.Millisecond, times); got != c.want*times {
			t.Errorf("%s: %.2f packets of a burst of %d are forwarded, want %d", c.story, float64(got)/times, c.packets, c.want)
		}
	}
}
