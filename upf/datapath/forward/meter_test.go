package forward

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
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
	const octets, packets = 1400, 400_000
	row, gap := &table.uplink[1].rows[0], octets*8*1e9/float64(2*mbr)
	forwarded := 0
	for i := range packets {
		if row.admit(octets, uint64(1e12+float64(i)*gap)) && i >= packets/2 {
			forwarded++
		}
	}
	return float64(forwarded) * octets * 8 / (packets / 2 * gap / 1e9)
}

func TestMaximumBitRate(t *testing.T) {
	for _, mbr := range []uint64{64e3, 1e6, 20e6, 1e9, 10e9, 100e9} {
		got := policed(t, mbr)
		if ratio := got / float64(mbr); ratio < 0.99 || ratio > 1.01 {
			t.Errorf("MBR %d bit/s: %.0f were forwarded, ratio %.4f", mbr, got, ratio)
		}
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
