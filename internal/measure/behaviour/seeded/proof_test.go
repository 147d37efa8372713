package seeded

import (
	"context"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour"
)

// elsewhere is a UPF that runs elsewhere, by its addresses: packets have to prove them.
func elsewhere(t *testing.T, f Fault) *behaviour.Bench {
	t.Helper()
	u := start(t, f)
	u.net.Foreign = true
	return bench(t, u)
}

// TestFaultsOfEachPacketAreJudged: a UPF that runs elsewhere and does one thing wrong to each packet is held to its
// rules all the same, and has the one finding.
func TestFaultsOfEachPacketAreJudged(t *testing.T) {
	t.Parallel()
	for _, f := range steady() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			b := elsewhere(t, f)
			if row := run(t, b, f.Row); !row.Verdict.Bad() {
				t.Errorf("%s does not find it: %s %s", f.Row, row.Verdict, row.Observed)
			}
			for _, id := range []string{"n4.heartbeat", "gtpu.echo", "session.unknown.delete", "pdr.teid"} {
				if row := run(t, b, id); row.Verdict.Bad() && !slices.Contains(f.Also, id) {
					t.Errorf("%s is %s: %s: %s", id, row.Verdict, row.Expected, row.Observed)
				}
			}
		})
	}
}

// TestOneDirectionThatPassesNothing: what needs it is not judged, and the rest is.
func TestOneDirectionThatPassesNothing(t *testing.T) {
	t.Parallel()
	b := elsewhere(t, Fault{Arriving: func(_ int, uplink bool, _ []byte) bool { return uplink }})
	for id, want := range map[string]string{"far.forward.uplink": "enforced", "far.forward.downlink": "not_applicable", "n4.heartbeat": "enforced"} {
		if row := run(t, b, id); string(row.Verdict) != want {
			t.Errorf("%s is %s, want %s: %s", id, row.Verdict, want, row.Observed)
		}
	}
}

// TestNothingPasses: no case can be judged by packets, and the addresses may be wrong.
func TestNothingPasses(t *testing.T) {
	t.Parallel()
	u := start(t, Fault{Arriving: func(int, bool, []byte) bool { return false }})
	u.net.Foreign = true
	b, err := behaviour.New(context.Background(), u)
	if err == nil {
		t.Error("a UPF that passes nothing is judged")
		_ = b.Close()
	}
}
