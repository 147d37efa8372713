package selftest

import (
	"testing"

	"github.com/upflab/upflab/internal/lab/dut/calibrator"
	ledger "github.com/upflab/upflab/internal/lab/dut/calibrator/impair"
	"github.com/upflab/upflab/internal/record"
)

// sample is a trial that upflab measured exactly.
func sample() evidence {
	return evidence{
		label: "calibrator:loss=0.1",
		trial: record.Trial{
			Kind: record.KindLoad, Direction: "downlink", Load: record.Load{PPS: 20e3},
			Traffic: record.Traffic{
				TxPackets: 1000, RxPackets: 880, Duplicates: 7, Reordered: 3, Wrong: 10,
				Latency: &record.Latency{Mean: 300500, P50: 300000, P99: 310000}, JitterNS: 1000, RxPPS: 79900,
			},
			Losses: record.Losses{
				WrongWhy: []record.Count{{Place: "TEID", Packets: 10}},
				Drops: []record.Count{{Place: "calibrator: loss", Packets: 100}, {Place: "receive ring of the UPF", Packets: 6},
					{Place: calibrator.RingFull, Packets: 4}},
			},
			Judgement: record.Judgement{LimitedBy: "dut"},
		},
		account: &ledger.Trial{
			Trial: 4,
			Counts: ledger.Counts{Received: 990, Right: 880, Forwarded: 897, Duplicated: 7, Reordered: 3, WrongTEID: 10,
				Lost: map[string]uint64{"loss": 100}},
			Latency: ledger.Distribution{Mean: 300000, P50: 299500, P99: 309000}, SendJitterNS: 1010,
			Delay: ledger.Distribution{P50: 250000},
		},
	}
}

func wrong(rows []Row) (names []string) {
	for _, r := range rows {
		if !r.Pass {
			names = append(names, r.Quantity)
		}
	}
	return names
}

func TestCounts(t *testing.T) {
	if bad := wrong(counts(sample(), nil)); bad != nil {
		t.Errorf("exact counts are wrong: %v", bad)
	}
	for quantity, change := range map[string]func(*evidence){
		"reached the device":   func(e *evidence) { e.account.Received-- },
		"received":             func(e *evidence) { e.trial.RxPackets++ },
		"lost in the device":   func(e *evidence) { e.account.Received++ },
		"lost without a place": func(e *evidence) { e.trial.Unattributed = 1 },
		"duplicated":           func(e *evidence) { e.trial.Duplicates-- },
		"reordered":            func(e *evidence) { e.account.Reordered++ },
		"wrong":                func(e *evidence) { e.trial.Wrong++ },
		"wrong TEID":           func(e *evidence) { e.trial.WrongWhy = nil },
	} {
		e := sample()
		change(&e)
		found := false
		for _, name := range wrong(counts(e, nil)) {
			found = found || name == quantity
		}
		if !found {
			t.Errorf("%s: one packet too many or too few is not noticed", quantity)
		}
	}
}

func TestTimes(t *testing.T) {
	e := sample()
	plain := evidence{label: "calibrator", trial: e.trial, account: &ledger.Trial{Delay: ledger.Distribution{P50: 500}}}
	plain.trial.Latency = &record.Latency{P50: 50000}
	all := []evidence{plain, e}
	for _, c := range []struct {
		story string
		rows  []Row
		want  int // of them wrong
	}{
		{"within 2 us", latency(e, all), 0},
		{"added delay within 2 us + 1 %", added(e, all), 0},
		{"jitter within 5 %", jitter(e, all), 0},
		{"rate within 1 %", rate(80e3)(e, all), 0},
		{"rate beyond", rate(81e3)(e, all), 1},
		{"verdict", verdict("dut")(e, all), 0},
		{"another verdict", verdict("host")(e, all), 1},
		{"nothing to compare with", added(e, []evidence{e}), 1},
	} {
		if bad := wrong(c.rows); len(bad) != c.want {
			t.Errorf("%s: wrong are %v", c.story, bad)
		}
	}
	e.trial.Latency.P99 = e.account.Latency.P99 + 3100 + 2000
	e.trial.JitterNS = 1100
	if bad := append(wrong(latency(e, all)), wrong(jitter(e, all))...); len(bad) != 2 {
		t.Errorf("beyond the tolerance: %v", bad)
	}
}

func TestRoomOfAQueue(t *testing.T) {
	e := sample()
	e.trial.TxPackets, e.trial.RxPackets = 2560, 20*64
	if bad := wrong(room(64, 128)(e, nil)); bad != nil {
		t.Errorf("wrong: %v", bad)
	}
	e.trial.RxPackets = 20 * 66
	if len(wrong(room(64, 128)(e, nil))) != 1 {
		t.Error("two packets too many are not noticed")
	}
}

// TestLatencyTrialsHaveNoRate: what is asked of loads alone is not asked of them.
func TestLatencyTrialsHaveNoRate(t *testing.T) {
	e := sample()
	e.trial.Kind = record.KindLatency
	if n := len(rate(1)(e, nil)) + len(verdict("x")(e, nil)) + len(room(1, 1)(e, nil)); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestDisturbed(t *testing.T) {
	calm := sample()
	calm.trial.Drops = nil
	if calm.disturbed() || !sample().disturbed() {
		t.Errorf("calm %v, with a full ring %v", calm.disturbed(), sample().disturbed())
	}
	rows := device{name: "calibrator:x", checks: []check{counts}}.compare(sample(), nil)
	for _, r := range rows {
		if !r.bends || r.Device != "calibrator:x" || r.Trial != "downlink 20k" {
			t.Errorf("row %+v", r)
		}
	}
}

func TestNoAccountIsWrong(t *testing.T) {
	e := sample()
	e.account = nil
	if rows := (device{name: "calibrator", checks: []check{counts}}).compare(e, nil); len(wrong(rows)) != 1 {
		t.Errorf("rows %+v", rows)
	}
}

// TestWhatIsMadeAgain: a busy machine excuses times, never counts.
func TestWhatIsMadeAgain(t *testing.T) {
	for _, c := range []struct {
		story string
		row   Row
		final bool
	}{
		{"a wrong count", exact("received", 1, 2), true},
		{"a wrong time", timeRow("latency", 1000, 9000), false},
		{"another verdict", word("limited by", "dut", "host"), false},
		{"a lost place", unattributed(1), false},
	} {
		if wrongCounts([]Row{c.row}) != c.final {
			t.Errorf("%s is final: %v", c.story, !c.final)
		}
	}
}

// TestBattery: names are unique, and every device is one that there is.
func TestBattery(t *testing.T) {
	seen := map[string]bool{}
	for _, quick := range []bool{true, false} {
		for _, x := range battery(quick) {
			if seen[x.name] != !quick || x.why == "" || len(x.devices) == 0 {
				t.Errorf("experiment %q", x.name)
			}
			seen[x.name] = true
			for _, d := range x.devices {
				if mode, ok := modeOf(d.name); ok && (calibrator.Driver{}).Info().CheckMode(mode) != nil {
					t.Errorf("%s: %s is no device", x.name, d.name)
				}
			}
		}
	}
}

func modeOf(name string) (string, bool) {
	const prefix = "calibrator:"
	if len(name) > len(prefix) && name[:len(prefix)] == prefix {
		return name[len(prefix):], true
	}
	return "", false
}
