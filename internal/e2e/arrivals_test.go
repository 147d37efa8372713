package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestArrivals: processes that end in a silence, and captures, are trials like others,
// in searches and soaks too.
func TestArrivals(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	capture, err := filepath.Abs("../traffic/replay/testdata/ethernet.pcap")
	if err != nil {
		t.Fatal(err)
	}
	replay := []string{"arrivals=replay", "pcap=" + capture}
	for _, c := range []struct {
		name, scenario string
		sets           []string
	}{
		{"bursts", "quick", []string{"arrivals=bursts", "burst=512", "loads=10k", "duration=1s", "latency.duration=2s"}},
		{"on and off", "quick", []string{"arrivals=on-off", "on_off.on=100ms", "on_off.off=400ms", "loads=10k",
			"duration=1s", "latency.duration=1s"}},
		{"replay", "quick", append(replay, "loads=10k,max", "duration=300ms", "latency.duration=300ms")},
		{"replayed for both families, over IPv6", "quick", append(replay, "loads=2k", "duration=300ms", "latency.duration=300ms",
			"ue.family=both", "transport=ipv6")},
		{"replayed for long", "soak", append(replay, "loads=max", "duration=1s")},
		{"replayed by a search", "ndr", append(replay, "search.min=1k", "search.budget=6s", "latency.duration=300ms", "duration=300ms")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "result")
			upflab(t, scenarioWith(c.scenario, dir, append([]string{"directions=uplink"}, c.sets...))).finishes(0, 3, 4)
			for _, d := range load(t, dir).DUTs {
				checkArrivals(t, d, c.sets[0] == replay[0])
			}
		})
	}
}

func checkArrivals(t *testing.T, d record.DUT, replayed bool) {
	t.Helper()
	if d.Status != record.StatusOK || len(d.Trials) == 0 {
		t.Fatalf("%s: %s, %d trials", d.Name, d.Error, len(d.Trials))
	}
	for _, trial := range d.Trials {
		// A trial that the hypervisor cut short says nothing of the arrivals.
		if slices.Contains(trial.Faults, record.FaultCutShort) && !slices.Contains(trial.Faults, record.FaultSteal) {
			t.Errorf("%s, %s: %s", d.Name, trial.Load, strings.Join(trial.Reasons, "; "))
		}
		if (trial.Size == "replay") != replayed {
			t.Errorf("%s, %s: its size is called %q", d.Name, trial.Load, trial.Size)
		}
	}
	for _, s := range d.Searches {
		if replayed && s.Size != "replay" || s.MaxPPS > 9e6 || len(s.Trials) == 0 {
			t.Errorf("%s: search of size %q up to %g packets/s, %d trials", d.Name, s.Size, s.MaxPPS, len(s.Trials))
		}
	}
}
