package seeded

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/proto/checksum"
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

// TestOneDirectionThatPassesNothing: that is the finding of the first case that needs it, each time that it is run. Others
// that need it say so and are not judged, and the rest is.
func TestOneDirectionThatPassesNothing(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]Fault{
		"no plain session passes downlink": {Arriving: func(_ int, uplink bool, _ []byte) bool { return uplink }},
		"of several fragments the last is missing": {Leaving: func(_ int, up bool, ip []byte) [][]byte {
			if !up {
				ip[6] |= 0x20
				checksum.SealIPv4(ip[:20])
			}
			return [][]byte{ip}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := elsewhere(t, f)
			for _, x := range []struct{ id, want, says string }{
				{"far.forward.uplink", "enforced", ""},
				{"far.forward.downlink", "not_enforced", "no downlink packets pass between gNB"},
				{"pdr.teid", "enforced", ""},
				{"qer.qfi", "not_applicable", "no downlink packets pass at all: see far.forward.downlink"},
				{"far.forward.downlink", "not_enforced", "may be wrong"},
				{"n4.heartbeat", "enforced", ""},
			} {
				row := run(t, b, x.id)
				if string(row.Verdict) != x.want || !strings.Contains(row.Observed, x.says) {
					t.Errorf("%s is %s, want %s: %q, want %q", x.id, row.Verdict, x.want, row.Observed, x.says)
				}
				if fragmented := f.Leaving != nil; x.says != "" && x.want == "not_enforced" && strings.Contains(row.Observed, "fragments of outer packets") != fragmented {
					t.Errorf("%s: fragments are in doubt: %s", x.id, row.Observed)
				}
			}
		})
	}
}

// TestDoubtEnds: a direction that passes nothing at first, and then does, is judged, and a case that passes is not named as
// the one that found it.
func TestDoubtEnds(t *testing.T) {
	t.Parallel()
	const probes = 15
	var count, later atomic.Int32
	b := elsewhere(t, Fault{Arriving: func(_ int, uplink bool, _ []byte) bool {
		if uplink {
			return true
		}
		return count.Add(1) > probes+1 && later.Load() == 0 // the first attempt of the first case, too
	}})
	if row := run(t, b, "far.forward.downlink"); row.Verdict != "enforced" {
		t.Errorf("far.forward.downlink is %s: %s", row.Verdict, row.Observed)
	}
	later.Store(1)
	if row := run(t, b, "qer.qfi"); row.Verdict != "not_enforced" || strings.Contains(row.Observed, "no downlink packets pass") {
		t.Errorf("qer.qfi is %s: %s", row.Verdict, row.Observed)
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
