package selftest

import (
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// searchesOf makes a device whose searches scatter by a share around a rate.
func searchesOf(n int, share float64, seed uint64) *record.Result {
	r := rand.New(rand.NewPCG(seed, 3))
	d := record.DUT{Name: "builtin", Mode: "xdp", Status: record.StatusOK}
	for i := range n {
		d.Searches = append(d.Searches, record.Search{
			Method: "rfc2544", Direction: "uplink", Repeat: i + 1, Sessions: 1,
			PacketSize:    record.PacketSize{PayloadBytes: 1400, FrameBytes: 1486},
			ThroughputPPS: 1e6 * (1 + share*r.NormFloat64()),
			Judgement:     record.Judgement{Valid: true, LimitedBy: "dut"},
		})
	}
	return &record.Result{Schema: record.Schema, Run: "abcde", DUTs: []record.DUT{d}}
}

// Of one device that scatters compare says that it is the same, whatever the scatter.
func TestRepeatability(t *testing.T) {
	for _, share := range []float64{0.001, 0.02, 0.2} {
		for seed := range uint64(5) {
			for _, row := range repeatability(searchesOf(10, share, seed)) {
				if !row.Pass {
					t.Errorf("scatter %g, seed %d: %+v", share, seed, row)
				}
				if row.Told && (row.Measured < 100*share/3 || row.Measured > 300*share) {
					t.Errorf("scatter %g, seed %d: the coefficient of variation is %.3g %%", share, seed, row.Measured)
				}
			}
		}
	}
}

// A device that has no valid searches proves nothing.
func TestRepeatabilityNeedsSearches(t *testing.T) {
	r := searchesOf(10, 0.01, 1)
	for i := range r.DUTs[0].Searches {
		r.DUTs[0].Searches[i].Valid = false
	}
	if Passed(repeatability(r)) {
		t.Error("no search is valid, and all rows pass")
	}
}
