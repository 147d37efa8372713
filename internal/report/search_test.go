package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestStanding has a story for each thing that a search may end with.
func TestStanding(t *testing.T) {
	for _, c := range []struct {
		story     string
		goal      record.SearchGoal
		reference bool
		kpps      string
		note      string
	}{
		{"the DUT is the limit", goal(1e6, 1.005e6, "dut", true), false, "1000.00", "its own limit"},
		{"the ring in front of it loses first", goal(1e6, 1.005e6, "link", true), false, "≥ 1000.00", "bench-limited"},
		{"nobody knows what limited it", goal(1e6, 1.005e6, "", true), false, "≥ 1000.00", "limit unknown"},
		{"the reference has no limit of its own", goal(1e6, 1.005e6, "link", true), true, "1000.00", "what the bench carries"},
		{"the generator gives out above", goal(1e6, 3e6, "generator", false), false, "≥ 1000.00", "its limit was not found"},
		{"the highest load is carried", goal(5e6, 0, "none", false), false, "≥ 5000.00", "its limit was not found"},
		{"the same for the reference", goal(5e6, 0, "none", false), true, "≥ 5000.00", "its limit was not found"},
		{"stopped on the way up", goal(1e6, 0, "none", false), false, "not valid", "not valid"},
		{"the device changed meanwhile", goal(1e6, 1.005e6, "dut", false), false, "not valid", "not valid"},
		{"not even the lowest load is carried", goal(0, 1e4, "dut", false), false, "not valid", "not valid"},
		{"nothing at all", goal(0, 0, "", false), false, "not valid", "not valid"},
		{"valid without a bound is not believed", goal(0, 0, "dut", true), false, "not valid", "not valid"},
	} {
		s := &searchView{Search: &record.Search{MaxPPS: 5e6, FrameBytes: 1000}, Reference: c.reference}
		g := newGoalView(s, &c.goal)
		if g.KppsText() != c.kpps || g.Note() != c.note {
			t.Errorf("%s: %q, %q; want %q, %q", c.story, g.KppsText(), g.Note(), c.kpps, c.note)
		}
		if g.Standing == standsNot && (g.GbpsText() != notMeasured || g.ConditionalText() != notMeasured) {
			t.Errorf("%s: a number is given: %s Gbit/s, %s kpps", c.story, g.GbpsText(), g.ConditionalText())
		}
	}
}

func goal(lower, upper float64, limit string, valid bool) record.SearchGoal {
	return record.SearchGoal{Name: goalNDR, LowerPPS: lower, UpperPPS: upper, ConditionalPPS: lower, LimitedBy: limit, Valid: valid}
}

func TestHeadlineIsTheMedianOfWhatStands(t *testing.T) {
	d := dutView{DUT: &record.DUT{Name: "upf"}}
	for i, g := range []record.SearchGoal{goal(1e6, 1.005e6, "dut", true), goal(9e6, 9.1e6, "dut", false), goal(1.2e6, 1.21e6, "link", true)} {
		d.Searches = append(d.Searches, record.Search{Direction: "uplink", Repeat: i + 1, MaxPPS: 1e7, FrameBytes: 1000, Goals: []record.SearchGoal{g}})
	}
	d.Found = viewSearches(d)
	f := d.goalFigure("uplink", goalNDR)
	if f.Mpps.Text != "≥ 1.10" || f.Mpps.Range != "1.00..1.20" || !f.Known {
		t.Errorf("%+v", f)
	}
	if f := d.goalFigure("downlink", goalNDR); f.Searched || f.Known {
		t.Errorf("not searched: %+v", f)
	}
}

// TestInvalidRatesAreNowhere looks for the digits of a rate that is not valid.
func TestInvalidRatesAreNowhere(t *testing.T) {
	r := searched(t)
	out := string(render(t, Text, r))
	for _, line := range strings.Split(out, "\n") {
		if regexp.MustCompile(`1650\.20|1\.65 Mpps`).MatchString(line) && !strings.Contains(line, "not valid") && !strings.Contains(line, "100% NDR?") {
			t.Errorf("%q", line)
		}
	}
	h := newView(r).headlines()[1].Figures[1]
	if h.NDR.Known || h.NDR.Mpps.Text != "not valid" || h.NDR.Why == "" {
		t.Errorf("headline %+v", h.NDR)
	}
}

func TestReferenceBeside(t *testing.T) {
	trial := func(kind, load string, pps float64, p50 uint64) record.Trial {
		return record.Trial{Kind: kind, Direction: "uplink", Load: loadAt(load, pps), Valid: true,
			Latency: &record.Latency{P50: p50, Count: 1}}
	}
	r := &record.Result{DUTs: []record.DUT{
		{Name: "upf", Trials: []record.Trial{
			trial(record.KindLatency, "1k", 1e3, 9000), trial(record.KindLoad, "max", 0, 9000), trial(record.KindLatency, "50 % of NDR", 3e5, 9000),
		}},
		{Name: "wire", Reference: true, Trials: []record.Trial{
			trial(record.KindLoad, "1k", 1e3, 1000), trial(record.KindLatency, "1k", 1e3, 2000), trial(record.KindLoad, "max", 0, 3000),
			trial(record.KindLatency, "50 % of NDR", 1e6, 4000), trial(record.KindLoad, "150k", 1.5e5, 5000),
		}},
	}}
	v := newView(r)
	for i, want := range []cell{{Text: "2.00"}, {Text: "3.00"}, {Text: "5.00", Note: "at 150.0 kpps"}} {
		if got := v.DUTs[0].Rows[i].Wire; got != want {
			t.Errorf("beside %s: %+v, want %+v", v.DUTs[0].Rows[i].Load, got, want)
		}
	}
	r.DUTs = r.DUTs[:1]
	if v := newView(r); v.HasReference || v.DUTs[0].Rows[0].Wire.Text != notMeasured {
		t.Errorf("without a reference: %+v", v.DUTs[0].Rows[0].Wire)
	}
}

func TestLinePoints(t *testing.T) {
	var series []record.Point
	for i := range 600 {
		series = append(series, record.Point{T: float64(i+1) / 10, TxPPS: 1000, RxPPS: float64(i % 2 * 1000), P50: uint64(i%2) * 500, P99: uint64(i), DUTCores: 0.5})
	}
	got := linePoints(series, 100)
	if len(got) != 100 || got[99] != [6]figure{60, 1000, 500, 500, 599, 0.5} {
		t.Errorf("%d points, the last %v", len(got), got[len(got)-1])
	}
	if one := linePoints(series[:3], 100); len(one) != 3 || one[0][3] != 0 {
		t.Errorf("a short series is changed: %v", one)
	}
}

// TestPageIsSmall renders four DUTs, three repeats of minutes each, and searches
// of a thousand trials.
func TestPageIsSmall(t *testing.T) {
	r := searchedTwice(t)
	r.DUTs = append(r.DUTs, r.DUTs[0])
	r.DUTs[3].Name = "other"
	for i := range r.DUTs {
		lengthen(&r.DUTs[i])
	}
	const most = 700_000
	n := len(render(t, HTML, r))
	t.Logf("%d bytes", n)
	if n > most {
		t.Errorf("%d bytes, want at most %d", n, most)
	}
}

func lengthen(d *record.DUT) {
	once := d.Trials
	d.Trials = nil
	for repeat := range 3 {
		for _, trial := range once {
			trial.Repeat, trial.Series = repeat+1, nil
			for i := range 600 {
				trial.Series = append(trial.Series, record.Point{T: float64(i) / 10, TxPPS: 1234567.891 + float64(i), RxPPS: 1234567.123, P50: 12345, P99: 123456, DUTCores: 0.98765})
			}
			d.Trials = append(d.Trials, trial)
		}
	}
	for i := range d.Searches {
		s := &d.Searches[i]
		for len(s.Trials) < 1000 {
			s.Trials = append(s.Trials, s.Trials...)
		}
	}
}

func TestSearchPointsKeepTheLast(t *testing.T) {
	trials := make([]record.SearchTrial, 1001)
	trials[1000].Phase = "verify"
	got := searchPoints(trials, searchPointsMax)
	if len(got) > searchPointsMax+1 || got[len(got)-1].Phase != "verify" {
		t.Errorf("%d points, the last %+v", len(got), got[len(got)-1])
	}
}

// loadAt is the load of that text with the rate that it came to.
func loadAt(text string, pps float64) (l record.Load) {
	if err := l.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	l.PPS = pps
	return l
}
