package exactness

import (
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// seen are packets of which the last was lost.
func seen(n, octets int) *b.Users {
	u := &b.Users{}
	for i := range n {
		f := b.Fate{Octets: octets}
		if i < n-1 {
			f.Arrived = f.Sent.Add(1)
		}
		u.Fates = append(u.Fates, f)
	}
	return u
}

// TestShown: counters are compared with what their names say, others with what they equal.
func TestShown(t *testing.T) {
	all := quantities(seen(auditUp, auditUpOctets), seen(auditDown, auditDownOctets))
	before := []dut.Counter{{Name: "up", Value: 100, Means: dut.UplinkPackets}, {Name: "sessions", Value: 4}}
	after := []dut.Counter{
		{Name: "up", Value: 100 + auditUp, Means: dut.UplinkPackets},
		{Name: "down", Value: 0, Means: dut.DownlinkPackets},
		{Name: "frames", Value: auditDown * (auditDownOctets + 58)},
		{Name: "odd", Value: 54321},
		{Name: "sessions", Value: 5},
	}
	got := shown(before, after, all)
	want := []record.Shown{
		{Name: "down", Means: "downlink packets", Ledger: auditDown - 1, Difference: -(auditDown - 1)},
		{Name: "frames", Value: auditDown * (auditDownOctets + 58),
			Means: "as many as downlink octets of N3's frames", Ledger: auditDown * (auditDownOctets + 58)},
		{Name: "odd", Value: 54321},
		{Name: "up", Value: auditUp, Means: "uplink packets", Ledger: auditUp},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	if f, is := auditJudged(got).(*fail.Failure); !is || f.Verdict != record.VerdictWrong {
		t.Errorf("a counter that does not count is %+v", f)
	}
	if err := auditJudged(got[3:]); err != nil {
		t.Error(err)
	}
}
