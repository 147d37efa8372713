package report

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// sideTrials are repeats of a trial, one for each received rate.
func sideTrials(limited string, rates ...float64) (list []record.Trial) {
	for i, rate := range rates {
		list = append(list, record.Trial{Kind: record.KindLoad, Direction: "uplink", Load: record.Load{}, Repeat: i + 1, RxPPS: rate, TxPPS: 9e6,
			Valid: true, LimitedBy: limited, CPU: record.CPU{DUTCores: 0.5}, MemoryBytes: 32 << 20})
	}
	return list
}

func sided() *record.Result {
	return &record.Result{DUTs: []record.DUT{
		{Name: "wire", Reference: true, Trials: sideTrials(record.LimitLink, 4e6)},
		{Name: "eupf", Mode: "native", Trials: sideTrials(record.LimitDUT, 2e6, 2.02e6, 2.01e6, 1.99e6, 2e6, 1.2e6),
			Setup: record.Setup{Sessions: 1000, SessionsPerS: 11000}},
		{Name: "builtin", Mode: "xdp", Trials: sideTrials(record.LimitGenerator, 3e6, 3.1e6, 3.2e6),
			Setup: record.Setup{Sessions: 1, SessionsPerS: 4000}},
	}}
}

func TestSideBySide(t *testing.T) {
	v := newView(sided())
	bars := map[string]sideBar{}
	for _, m := range v.sideBySide() {
		for _, b := range m.Bars {
			bars[m.Name+" "+v.DUTs[b.DUT].Label] = b
		}
	}
	for name, want := range map[string]sideBar{
		// Six repeats have an interval, and the one far below is named.
		"Highest received rate eupf:native": {Text: "2.00", Of: "95 % interval of 6 repeats", Note: "its own limit, offered max", Far: []string{"1.20"}},
		// Three have their range, and the generator's limit is not the UPF's.
		"Highest received rate builtin:xdp":     {Text: "≥ 3.10", Of: "range of 3 repeats", Span: "3.00..3.20", Note: "generator-limited, offered max", Bound: true},
		"Highest received rate wire":            {Text: "4.00", Note: "what the bench carries, offered max"},
		"CPU at that rate builtin:xdp":          {Text: "0.161", Of: "range of 3 repeats", Span: "0.156..0.167", Note: "offered max"},
		"Memory eupf:native":                    {Text: "32.0", Note: "at most, 1,000 sessions"},
		"Sessions set up over PFCP eupf:native": {Text: "11000", Note: "of 1,000 sessions"},
		"Sessions set up over PFCP builtin:xdp": {Text: "4000 ?", Note: "of 1 session: too few to tell", Bound: true},
	} {
		got := bars[name]
		if got.Text != want.Text || got.Of != want.Of || want.Span != "" && got.Span != want.Span || got.Note != want.Note ||
			got.Bound != want.Bound || strings.Join(got.Far, " ") != strings.Join(want.Far, " ") {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
	if _, found := bars["Memory wire"]; found {
		t.Error("the reference has memory")
	}
}

// One UPF alone has nobody beside it.
func TestNobodyBeside(t *testing.T) {
	r := sided()
	r.DUTs = r.DUTs[:1]
	if got := newView(r).sideBySide(); got != nil {
		t.Errorf("got %v", got)
	}
}

// A trial that is not valid has no bar.
func TestSideLeavesInvalidOut(t *testing.T) {
	r := sided()
	for i := range r.DUTs[1].Trials {
		r.DUTs[1].Trials[i].Valid = false
	}
	v := newView(r)
	for _, m := range v.sideBySide() {
		for _, b := range m.Bars {
			if m.Unit == "Mpps" && v.DUTs[b.DUT].Name == "eupf" {
				t.Errorf("%s has the bar %+v", m.Name, b)
			}
		}
	}
}
