// Package render_test holds sections and renderers to golden files: what becomes of a
// result in each format.
package render_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// sample reads the result that most tests are built on. It is a fresh copy.
func sample(t testing.TB) *record.Result { return stored(t, "sample.json") }

// searched is the sample with searches of both rates, and the latencies at
// shares of the non-drop rate.
func searched(t testing.TB) *record.Result {
	r, more := sample(t), stored(t, "searches.json")
	for i := range r.DUTs {
		r.DUTs[i].Trials = append(r.DUTs[i].Trials, more.DUTs[i].Trials...)
		r.DUTs[i].Searches = more.DUTs[i].Searches
	}
	return r
}

func stored(t testing.TB, name string) *record.Result {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var r record.Result
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

// failed is the sample with an eUPF that did not come up.
func failed(t testing.TB) *record.Result {
	r := sample(t)
	r.Complete = false
	d := &r.DUTs[1]
	d.Status, d.Trials = record.StatusFailed, nil
	d.Error = "start eupf --config eupf-native/config.yml: exited with status 1 after 0.21 s; its last lines are " +
		"below: free port 8805 or set n4.upf"
	d.LogTail = "\x1b[31mERR\x1b[0m can't listen\t<udp> 10.99.1.2:8805 | \"address\" already in use\n```\nFATAL exiting"
	d.Setup = record.Setup{TestbedSeconds: 0.4}
	return r
}

// incomplete is the sample, stopped by the user before wire and the latencies.
func incomplete(t testing.TB) *record.Result {
	r := sample(t)
	r.Complete = false
	r.DUTs[0].Trials = r.DUTs[0].Trials[:8]
	r.DUTs[1].Status = record.StatusInterrupted
	r.DUTs[1].Trials = r.DUTs[1].Trials[:2]
	r.DUTs[2].Status = record.StatusInterrupted
	r.DUTs[2].Trials = nil
	return r
}

// repeated is the sample run three times, the second 2 % faster, the third 1 %
// slower.
func repeated(t testing.TB) *record.Result {
	r := sample(t)
	for i := range r.DUTs {
		once := r.DUTs[i].Trials
		for repeat, factor := range []float64{1.02, 0.99} {
			for _, trial := range once {
				r.DUTs[i].Trials = append(r.DUTs[i].Trials, scaled(trial, repeat+2, factor))
			}
		}
	}
	// One of the three is not valid, another had a different limit.
	trials := r.DUTs[0].Trials
	trials[len(trials)-1].Valid = false
	trials[len(trials)-1].Reasons = []string{"generator sent 0.9 % less than intended (4,955 of 5,000 packets)"}
	return r
}

// searchedTwice is the searched sample with the searches done again.
func searchedTwice(t testing.TB) *record.Result {
	r := searched(t)
	for i := range r.DUTs {
		for _, s := range r.DUTs[i].Searches {
			r.DUTs[i].Searches = append(r.DUTs[i].Searches, searchedAgain(s, 1.02))
		}
	}
	return r
}

// searchedAgain is a second repeat that found other rates.
func searchedAgain(s record.Search, factor float64) record.Search {
	s.Repeat = 2
	s.Goals = slices.Clone(s.Goals)
	for i := range s.Goals {
		g := &s.Goals[i]
		g.LowerPPS, g.UpperPPS, g.ConditionalPPS = g.LowerPPS*factor, g.UpperPPS*factor, g.ConditionalPPS*factor
	}
	s.NDRPPS, s.PDRPPS = s.NDRPPS*factor, s.PDRPPS*factor
	return s
}

// sizes is the sample with a second size and a mixture, and both directions at
// once, twice.
func sizes(t testing.TB) *record.Result {
	r := sample(t)
	for i := range r.DUTs {
		plain := append(r.DUTs[i].Trials, bothOf(r.DUTs[i].Trials)...)
		r.DUTs[i].Trials = nil
		for n, name := range []string{"frame:128", "frame:1518", "imix"} {
			for _, trial := range plain {
				trial = scaled(trial, 1, 1.5-0.4*float64(n))
				trial.Size, trial.Mixed, trial.FrameBytes = name, name == "imix", []int{124, 1514, 380}[n]
				if n > 0 { // keeps the page small
					trial.Series, trial.Latency.Buckets = nil, nil
				}
				r.DUTs[i].Trials = append(r.DUTs[i].Trials, trial)
			}
		}
	}
	return r
}

// bothOf makes trials of both directions of those uplink: half of the packets sent
// are uplink ones, and two thirds of those that arrive.
func bothOf(trials []record.Trial) (list []record.Trial) {
	for _, trial := range trials {
		if trial.Direction != "uplink" {
			continue
		}
		trial.Direction, trial.Series = "both", nil
		for n, direction := range []string{"uplink", "downlink"} {
			part := float64(2-n) / 3
			trial.Flows = append(trial.Flows, record.Flow{
				Direction: record.Direction(direction),
				Traffic: record.Traffic{
					TxPPS: trial.TxPPS / 2, RxPPS: trial.RxPPS * part, RxL2bps: trial.RxL2bps * part,
					FrameLossRatio: trial.FrameLossRatio, Latency: trial.Latency,
				},
			})
		}
		list = append(list, trial)
	}
	return list
}

func scaled(trial record.Trial, repeat int, factor float64) record.Trial {
	latency := *trial.Latency
	latency.P50 = uint64(float64(latency.P50) / factor)
	latency.P99 = uint64(float64(latency.P99) / factor)
	trial.Latency, trial.Repeat = &latency, repeat
	trial.CPU.DUTCores *= factor
	if trial.Load.PPS == 0 {
		trial.RxPPS *= factor
		trial.RxL2bps *= factor
	}
	return trial
}

// variants are the results that every format is tried on.
func variants(t testing.TB) map[string]*record.Result {
	return map[string]*record.Result{
		"sample": sample(t), "failed": failed(t), "incomplete": incomplete(t),
		"repeated": repeated(t), "empty": {}, "searched": searched(t), "searched-twice": searchedTwice(t), "searched-more": searchedMore(t),
		"sizes": sizes(t), "sweep": swept(t), "flows": stored(t, "flows.json"),
		"counters": withCounters(t), "instructions": ofInstructions(),
	}
}
