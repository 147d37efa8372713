package threshold

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
)

// trialOf is a valid trial that the UPF limited.
func trialOf(d record.Direction, pps float64, repeat int, rx float64, p99 uint64) record.Trial {
	return record.Trial{
		Kind: record.KindLoad, Direction: d, Load: record.Load{PPS: pps}, Repeat: repeat,
		PacketSize: record.PacketSize{PayloadBytes: 1400}, Sessions: 1,
		Traffic:   record.Traffic{RxPPS: rx, Latency: &record.Latency{P99: p99, Count: 1000}},
		Judgement: record.Judgement{LimitedBy: record.LimitDUT, Valid: true},
	}
}

func sample() *record.Result {
	one := record.DUT{Name: "eupf", Mode: "native", Status: record.StatusOK}
	other := record.DUT{Name: "open5gs", Mode: "tun", Status: record.StatusOK}
	wire := record.DUT{Name: "wire", Reference: true, Status: record.StatusOK}
	for repeat := 1; repeat <= 3; repeat++ {
		scatter := 1 + 0.1*float64(repeat-2)
		one.Trials = append(one.Trials, trialOf("uplink", 5e5, repeat, 5e5, uint64(50e3*scatter)), trialOf("uplink", 0, repeat, 2e6*scatter, 9e6))
		other.Trials = append(other.Trials, trialOf("uplink", 5e5, repeat, 2.5e5, 3e6), trialOf("uplink", 0, repeat, 2.5e5, 9e6))
		wire.Trials = append(wire.Trials, trialOf("uplink", 5e5, repeat, 5e5, uint64(10e3*scatter)),
			trialOf("uplink", 0, repeat, 4e6*scatter, 9e6))
	}
	return &record.Result{DUTs: []record.DUT{wire, one, other}, Calibration: steady}
}

// steady is a machine that hardly differs from itself, by many runs.
var steady = func() *record.Calibration {
	c := &record.Calibration{Runs: 100, Days: 10}
	for _, f := range figure.All() {
		c.Scatter = append(c.Scatter, record.Scatter{Figure: f.Name, SD: 0.001, DF: 99, AcrossDays: true})
	}
	return c
}()

// outcomes is a line for each check: "eupf:native uplink max pass".
func outcomes(t *testing.T, r *record.Result, text string) string {
	t.Helper()
	one, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range one.Check(r) {
		lines = append(lines, strings.Join(strings.Fields(c.DUT+" "+c.Where+" "+string(c.Outcome)+" "+c.Why), " "))
	}
	return strings.Join(lines, "; ")
}

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"rx_pps >= 1M":                    "eupf:native uplink max pass; open5gs:tun uplink max fail",
		"rx_pps >= 1M @ eupf":             "eupf:native uplink max pass",
		"rx_pps >= 400k @ eupf":           "eupf:native uplink 500k pass; eupf:native uplink max pass",
		"rx_pps >= 40% of wire @ max":     "eupf:native uplink max pass; open5gs:tun uplink max fail",
		"rx_pps >= 4 * open5gs:tun @ max": "eupf:native uplink max pass",
		"rx_pps >= 2M @ eupf max": "eupf:native uplink max cannot tell 2 of 3 repeats keep " +
			"it, and the interval of their mean contains the limit: use more repeats",
		"latency.p99 < 100us":         "eupf:native uplink 500k pass; open5gs:tun uplink 500k fail",
		"latency.p99 < wire + 50us":   "eupf:native uplink 500k pass; open5gs:tun uplink 500k fail",
		"latency.p99 < 1s @ max eupf": "eupf:native uplink max pass",
		"rx_pps >= 1M @ downlink": "eupf:native cannot tell nothing was measured that has " +
			"this figure; open5gs:tun cannot tell nothing was measured that has this figure",
		"ndr_pps >= 1M @ eupf":                            "eupf:native cannot tell nothing was measured that has this figure",
		"rx_pps >= 50% of p4 @ eupf max":                  "eupf:native uplink max cannot tell p4 has no valid figure to compare with",
		"rx_pps >= 1M @ p4":                               "cannot tell no DUT of this run is meant",
		"wrong == 0 @ eupf max":                           "eupf:native uplink max pass",
		"frame_loss_ratio <= 0 @ open5gs":                 "open5gs:tun uplink 500k pass",
		"rx_pps >= 90% of open5gs:tun @ eupf 500k":        "eupf:native uplink 500k pass",
		"latency.p99 < 100us @ wire":                      "wire uplink 500k pass",
		"n4_findings == 0 @ eupf":                         "eupf:native setup pass",
		"cpu_ns_per_packet < 1us @ eupf":                  "eupf:native cannot tell nothing was measured that has this figure",
		"latency.p99 < 100us @ poisson eupf":              "eupf:native cannot tell nothing was measured that has this figure",
		"latency.p99 < 100us @ constant eupf 500k":        "eupf:native uplink 500k pass",
		"latency.p99 < 100us @ payload:1400 eupf uplink":  "eupf:native uplink 500k pass",
		"latency.p99 < 100us @ 1400B eupf uplink":         "eupf:native uplink 500k pass",
		"latency.p99 < 100us @ 64B eupf uplink":           "eupf:native cannot tell nothing was measured that has this figure",
		"latency.p99 < 100us @ payload:1400B eupf uplink": "eupf:native uplink 500k pass",
		"latency.p99 < 100us @ frame:64 eupf uplink":      "eupf:native cannot tell nothing was measured that has this figure",
	} {
		if got := outcomes(t, sample(), text); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestBench: what something other than the UPF limited is not held against it.
func TestBench(t *testing.T) {
	limit := func(by record.Limit) *record.Result {
		r := sample()
		for i := range r.DUTs[1].Trials {
			r.DUTs[1].Trials[i].LimitedBy = by
		}
		return r
	}
	for _, c := range []struct {
		by         record.Limit
		text, want string
	}{
		{record.LimitGenerator, "rx_pps >= 3M @ eupf", "eupf:native uplink max cannot tell limited by generator: the UPF may do better"},
		{record.LimitGenerator, "rx_pps >= 1M @ eupf", "eupf:native uplink max pass"},
		{record.LimitHost, "latency.p99 < 10us @ eupf", "eupf:native uplink 500k cannot tell limited by host: the UPF may do better"},
		{record.LimitNone, "latency.p99 < 10us @ eupf", "eupf:native uplink 500k fail"},
		{record.LimitNone, "rx_pps >= 500001 @ eupf 500k",
			"eupf:native uplink 500k cannot tell all that was offered was carried: offer more to know"},
		{record.LimitLink, "rx_pps >= 0.1 * eupf @ open5gs max",
			"open5gs:tun uplink max cannot tell eupf:native was limited by the bench: it may do better"},
		{record.LimitLink, "memory_bytes > 1 @ eupf", "eupf:native cannot tell nothing was measured that has this figure"},
	} {
		if got := outcomes(t, limit(c.by), c.text); got != c.want {
			t.Errorf("limited by %s, %s:\n got %s\nwant %s", c.by, c.text, got, c.want)
		}
	}
}

// TestBounds: a delay that is known to be at most a value is below what is above that, and
// else nothing is known of it.
func TestBounds(t *testing.T) {
	why := "it is at most that: packets that waited for a disturbance may be in it; measure on a quieter machine, or at a lower load"
	for _, c := range []struct {
		bound []int // DUTs
		text  string
		want  string
	}{
		{nil, "latency.p99 < 10us @ eupf", "eupf:native uplink 500k fail"},
		{[]int{1}, "latency.p99 < 10us @ eupf", "eupf:native uplink 500k cannot tell " + why},
		{[]int{1}, "latency.p99 < 100us @ eupf", "eupf:native uplink 500k pass"},
		{[]int{1}, "latency.p99 > 10us @ eupf", "eupf:native uplink 500k cannot tell " + why},
		{[]int{1}, "latency.p99 > 1s @ eupf", "eupf:native uplink 500k fail"},
		{[]int{1}, "rx_pps >= 1M @ eupf", "eupf:native uplink max pass"},
		{[]int{0}, "latency.p99 < wire + 50us @ eupf", "eupf:native uplink 500k cannot tell of wire: " + why},
		{[]int{0}, "latency.p99 < wire + 50us @ open5gs", "open5gs:tun uplink 500k fail"},
	} {
		r := sample()
		for _, i := range c.bound {
			for j := range r.DUTs[i].Trials {
				if l := r.DUTs[i].Trials[j].Latency; l != nil {
					l.UpperBound = true
				}
			}
		}
		if got := outcomes(t, r, c.text); got != c.want {
			t.Errorf("bounds of %v, %s:\n got %s\nwant %s", c.bound, c.text, got, c.want)
		}
	}
}

// TestLowerBounds: a delay that is known to be at least a value, since packets that were never
// sent are in it as 500 us, is above what is below that, and else nothing is known of it. So
// it is of the variation of delays that are known too coarsely, the other way round.
func TestLowerBounds(t *testing.T) {
	never := "it is at least that: packets are in it that the generator was too late to send, as 500 µs late; measure on a quieter machine"
	coarse := "it is at most that: delays are known to 0.8 %, which is over a tenth of this difference of two; " +
		"ask for its mean or its maximum, which are exact"
	for _, c := range []struct {
		of   []int // DUTs
		p99  uint64
		text string
		want string
	}{
		{nil, 600e3, "latency.p99 < 1ms @ eupf", "eupf:native uplink 500k pass"},
		{[]int{1}, 600e3, "latency.p99 < 1ms @ eupf", "eupf:native uplink 500k cannot tell " + never},
		{[]int{1}, 600e3, "latency.p99 < 550us @ eupf", "eupf:native uplink 500k fail"},
		{[]int{1}, 600e3, "latency.p99 > 550us @ eupf", "eupf:native uplink 500k pass"},
		{[]int{1}, 600e3, "latency.p99 > 1ms @ eupf", "eupf:native uplink 500k cannot tell " + never},
		{[]int{1}, 400e3, "latency.p99 < 1ms @ eupf", "eupf:native uplink 500k pass"},
		{[]int{1}, 400e3, "latency.mean < 1ms @ eupf", "eupf:native uplink 500k cannot tell " + never},
		{[]int{0}, 600e3, "latency.p99 < 90% of wire @ eupf", "eupf:native uplink 500k cannot tell of wire: " + never},
		{nil, 600e3, "latency.p99 < 90% of wire @ eupf", "eupf:native uplink 500k fail"},
		{[]int{1}, 600e3, "pdv.p99 < 1ms @ eupf", "eupf:native uplink 500k pass"},
		{[]int{1}, 600e3, "pdv.p99 < 1us @ eupf", "eupf:native uplink 500k cannot tell " + coarse},
		{[]int{1}, 600e3, "pdv.p999 < 0us @ eupf", "eupf:native uplink 500k fail"},
	} {
		r := sample()
		for i := range r.DUTs {
			for j := range r.DUTs[i].Trials {
				trial := &r.DUTs[i].Trials[j]
				if trial.Latency == nil {
					continue
				}
				trial.Latency.P99 = c.p99
				trial.PDV = &record.Latency{Count: 1, P99: 20_000, P999: 40_000}
				if slices.Contains(c.of, i) {
					trial.Latency.Skipped, trial.PDV.Unresolved = 7, []string{"p99"}
				}
			}
		}
		if got := outcomes(t, r, c.text); got != c.want {
			t.Errorf("%v of %d ns, %s:\n got %s\nwant %s", c.of, c.p99, c.text, got, c.want)
		}
	}
}

// TestLoadsBelowTheLimit: a load that was carried whole says that the figure is at least
// that.
func TestLoadsBelowTheLimit(t *testing.T) {
	for _, c := range []struct {
		limit record.Limit
		rx    float64
		want  string
	}{
		{record.LimitNone, 20e3,
			"eupf:native cannot tell it is at least 20.0 kpps, which is all that was offered: raise loads to 1.00 " +
				"Mpps or more, or add max"},
		{record.LimitDUT, 15e3,
			"eupf:native cannot tell 15.0 kpps arrived at most, and no load was as high as the limit: raise loads " +
				"to 1.00 Mpps or more, or add max"},
	} {
		r := sample()
		r.DUTs[1].Trials = []record.Trial{{
			Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 20e3}, Repeat: 1,
			Traffic: record.Traffic{RxPPS: c.rx}, Judgement: record.Judgement{LimitedBy: c.limit, Valid: true},
		}}
		if got := outcomes(t, r, "rx_pps >= 1M @ eupf"); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	r := sample()
	r.DUTs[1].Searches = []record.Search{{Direction: "uplink", Repeat: 1, NDRPPS: 1e6,
		Judgement: record.Judgement{Valid: true, LimitedBy: record.LimitDUT}}}
	if got, want := outcomes(t, r, "ndr_pps >= 80% of wire @ eupf"),
		"eupf:native uplink search cannot tell wire is not searched beside UPFs, it is only asked whether it "+
			"carries their rates: set a limit in packets/s"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNotValid(t *testing.T) {
	r := sample()
	d := &r.DUTs[1]
	for i := range d.Trials {
		d.Trials[i].Valid, d.Trials[i].Reasons = false, []string{"the host paused the CPUs"}
	}
	if got, want := outcomes(t, r, "rx_pps >= 1M @ eupf"),
		"eupf:native uplink max cannot tell not valid: the host paused the CPUs"; got != want {
		t.Errorf("got %s", got)
	}
	d.Trials[1].Valid = true // one repeat is
	if got, want := outcomes(t, r, "rx_pps >= 1M @ eupf"), "eupf:native uplink max pass"; got != want {
		t.Errorf("got %s", got)
	}
	d.Trials, d.Status, d.Error = nil, record.StatusFailed, "it has ended"
	if got, want := outcomes(t, r, "rx_pps >= 1M @ eupf"), "eupf:native cannot tell it has ended"; got != want {
		t.Errorf("got %s", got)
	}
}

func TestDecided(t *testing.T) {
	fail := func(repeats int) record.Threshold {
		return record.Threshold{Outcome: record.OutcomeFail, Repeats: repeats}
	}
	for _, c := range []struct {
		t       record.Threshold
		planned int
		want    bool
	}{{fail(1), 1, true}, {fail(1), 5, false}, {fail(3), 5, true}, {fail(2), 2, true},
		{record.Threshold{Outcome: record.OutcomePass, Repeats: 5}, 5, false}} {
		if got := Decided(c.t, c.planned); got != c.want {
			t.Errorf("%+v of %d: %v", c.t, c.planned, got)
		}
	}
}

// TestCPUOfAProcessAlone: where only the UPF's process was watched, its CPU is a lower bound: that it
// is below a limit is not known, and that it is above one is.
func TestCPUOfAProcessAlone(t *testing.T) {
	for text, want := range map[string]string{
		"dut_cores < 1 @ eupf":           "eupf:native uplink 500k cannot tell it is at least that: " + record.ProcessAlone,
		"dut_cores < 0.1 @ eupf":         "eupf:native uplink 500k fail",
		"cpu_ns_per_packet < 1ms @ eupf": "eupf:native uplink 500k cannot tell it is at least that: " + record.ProcessAlone,
		"cpu_ns_per_packet > 1ns @ eupf": "eupf:native uplink 500k pass",
	} {
		r := sample()
		for i := range r.DUTs[1].Trials {
			r.DUTs[1].Trials[i].CPU = record.CPU{DUTCores: 0.5, AtLeast: true}
		}
		if got := outcomes(t, r, text); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}
