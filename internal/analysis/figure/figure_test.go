package figure

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestNamesAreUnique: a threshold must mean one figure.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		if seen[f.Name] || f.Doc == "" || f.Unit == "" {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
	}
}

// TestEmptyHasNoFigures: what was not measured is no 0.
func TestEmptyHasNoFigures(t *testing.T) {
	d := &record.DUT{Searches: []record.Search{{}}, Flows: []record.AppFlow{{}}}
	for _, f := range All() {
		for _, s := range f.Samples(d) {
			if f.search != nil || math.IsNaN(s.Value) {
				t.Errorf("%s has %+v of nothing", f.Name, s)
			}
		}
	}
	for _, name := range []string{"flow.goodput_bps", "flow.loss_ratio", "setup.start", "setup.idle_cores", "behaviour.findings"} {
		f, found := Of(name)
		if !found || len(f.Samples(d)) > 0 {
			t.Errorf("%s: found %v, samples %v", name, found, f.Samples(d))
		}
	}
}

func TestSamples(t *testing.T) {
	d := &record.DUT{Trials: []record.Trial{
		{
			Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 2e3},
			Traffic: record.Traffic{RxPPS: 1e3}, Cost: record.Cost{CPU: record.CPU{DUTCores: 0.5}}, Repeat: 2,
			Judgement: record.Judgement{Valid: true}, PacketSize: record.PacketSize{Size: "imix"},
		},
		{
			Kind: record.KindLatency, Direction: "both", Load: record.Load{PPS: 1e3},
			Traffic:   record.Traffic{Latency: &record.Latency{P99: 7, Count: 1}},
			Judgement: record.Judgement{Reasons: []string{"a", "b"}},
		}}}
	f, _ := Of("cpu_ns_per_packet")
	all := f.Samples(d)
	if len(all) != 1 || all[0].Value != 5e5 || all[0].Repeat != 2 || all[0].Words(true) != "imix uplink 2k" ||
		all[0].Words(false) != "uplink 2k" {
		t.Errorf("%+v", all)
	}
	f, _ = Of("latency.p99")
	all = f.Samples(d)
	if len(all) != 1 || all[0].Value != 7 || all[0].Valid || all[0].Why != "a" || all[0].Words(false) != "both latency at 1k" {
		t.Errorf("%+v", all)
	}
}

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		v    float64
		u    Unit
		want string
	}{{1.5e6, PPS, "1.50 Mpps"}, {85e3, Nanos, "85.0 µs"}, {2.5e6, Nanos, "2.50 ms"}, {2, Seconds, "2.00 s"},
		{0.001, Ratio, "0.10 %"}, {3, Count, "3"}, {1234567, Count, "1234567"}, {452.59375, Count, "452.6"}, {100113.7, Count, "100113.7"}, {0.01234567, Count, "0.01235"}, {1 << 30, Bytes, "1.0 GiB"}, {9.5e9, BPS, "9.50 Gbit/s"}} {
		if got := Write(c.v, c.u); got != c.want {
			t.Errorf("Write(%g, %s) = %q, want %q", c.v, c.u, got, c.want)
		}
	}
}

// TestQuantileThatIsNotThere: 0 of a result that is older than a quantile is no value of it.
func TestQuantileThatIsNotThere(t *testing.T) {
	trial := &record.Trial{Traffic: record.Traffic{Latency: &record.Latency{Count: 1000, Min: 900, P50: 1000}}}
	for _, f := range All() {
		if f.trial == nil || f.Name != "latency.p50" && f.Name != "latency.p9999" {
			continue
		}
		if v := f.trial(trial); math.IsNaN(v) != (f.Name == "latency.p9999") {
			t.Errorf("%s is %v", f.Name, v)
		}
	}
}
