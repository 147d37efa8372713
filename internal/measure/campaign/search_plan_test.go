package campaign

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

func TestMethodsInOrder(t *testing.T) {
	for _, c := range []struct {
		story string
		set   string
		wire  string // "": a UPF
		want  []scenario.Method
	}{
		{"the usual one", "search.method=mlrsearch", "", []scenario.Method{"mlrsearch"}},
		{"the order of the user", "search.method=loss-curve,tst009", "", []scenario.Method{"loss-curve", "tst009"}},
		{"bursts need a rate", "search.method=loss-curve,back-to-back", "", []scenario.Method{"loss-curve", methodForwarding, "back-to-back"}},
		{"and take one that was found before", "search.method=mlrsearch,back-to-back", "", []scenario.Method{"mlrsearch", "back-to-back"}},
		{"but not one that comes after", "search.method=back-to-back,rfc2544", "",
			[]scenario.Method{methodForwarding, "back-to-back", "rfc2544"}},
		{"wire has no buffer", "search.method=back-to-back,rfc2544", "alone", []scenario.Method{"rfc2544"}},
		{"wire is not searched beside a UPF", "search.method=mlrsearch,rfc2544,tst009,back-to-back", "beside", nil},
		{"but its loss over load is shown", "search.method=mlrsearch,loss-curve", "beside", []scenario.Method{"loss-curve"}},
	} {
		s := settings(t, "ndr", c.set)
		got := methods(s.Search)
		p := Plan{Targets: []dut.Target{{Driver: noDUT{"wire"}}}}
		switch c.wire {
		case "beside":
			p.Targets = append(p.Targets, dut.Target{Driver: noDUT{"builtin"}, Mode: "xdp"})
			got = p.ofWire(got)
		case "alone":
			got = p.ofWire(got)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.story, got, c.want)
		}
	}
	if got := searched(settings(t, "quick")); got != nil {
		t.Errorf("a scenario that does not search does so in %v", got)
	}
}

// TestOutlineSaysHowLongASearchTakes: the scenario's budget, or else the longest of its methods' presets.
func TestOutlineSaysHowLongASearchTakes(t *testing.T) {
	for sets, want := range map[string]string{
		"search.method=mlrsearch":            "trials each, at most 50s",
		"search.method=mlrsearch,loss-curve": "trials each, at most 2m0s",
		"search.budget=5m":                   "trials each, at most 5m0s",
	} {
		p := Plan{Scenario: settings(t, "ndr", sets), Targets: []dut.Target{{Driver: noDUT{"upf"}}}}
		if open := p.Outline().Open; len(open) != 1 || !strings.HasSuffix(open[0], want) {
			t.Errorf("%s: %q, want one that ends in %q", sets, open, want)
		}
	}
}

func TestGoalsBesideThePresets(t *testing.T) {
	s := settings(t, "ndr", "search.goals=loose:0.01,ndr:0.00001", "search.budget=5m").Search
	s.Goals = append(s.Goals,
		scenario.Goal{Name: "slow", ExceedRatio: 0, FinalDuration: scenario.Duration{Duration: 10 * time.Second},
			Width: 0.01})
	m, err := mlrsearch(s, search.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range m.Goals {
		names = append(names, g.Name)
	}
	if !slices.Equal(names, []string{"ndr", "pdr", "loose", "slow"}) {
		t.Fatalf("goals %v", names)
	}
	if g := m.Goals[0]; g.LossRatio != 0.00001 || g.ExceedRatio != 0.5 || g.Width != 0.005 {
		t.Errorf("ndr of the user's: %+v", g)
	}
	if g := m.Goals[3]; g.FinalTrialDuration != 10*time.Second || g.DurationSum != 10*time.Second ||
		g.ExceedRatio != 0 || g.InitialTrialDuration != 250*time.Millisecond {
		t.Errorf("slow: %+v", g)
	}
	if m.Limits.Budget != 5*time.Minute || m.MinPPS != 10e3 || m.MaxPPS != 10e6 {
		t.Errorf("%+v", m)
	}
}

func TestDurationsOfPresets(t *testing.T) {
	for _, c := range []struct {
		sets          []string
		trial, curve  time.Duration
		bursts, tries int
	}{
		{[]string{"search.preset=quick"}, 2 * time.Second, time.Second, 3, 0},
		{[]string{"search.preset=csit", "search.burst_repeats=7"}, 10 * time.Second, 5 * time.Second, 7, 0},
		{[]string{"search.preset=rfc2544"}, time.Minute, time.Minute, 50, 0},
		{[]string{"search.preset=rfc2544", "search.duration=3s", "search.attempts=4"}, 3 * time.Second, 3 * time.Second, 50, 4},
	} {
		s := settings(t, "ndr", c.sets...).Search
		x, err := throughput(s, scenario.MethodTST009, search.Conditions{})
		y, err2 := lossCurve(s, search.Conditions{})
		b, _, err3 := backToBack(s, search.Conditions{}, 1e6, 80e3)
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		if x.Duration != c.trial || y.Duration != c.curve || b.Searches != c.bursts || c.tries > 0 && x.Verification.Trials != c.tries {
			t.Errorf("%v: throughput %v, curve %v, %d searches, %d tries", c.sets, x.Duration, y.Duration, b.Searches, x.Verification.Trials)
		}
	}
}

func TestStepsBelowWhatTheGeneratorReaches(t *testing.T) {
	x := stepped(search.Throughput{MinPPS: 1000}, 2_000_000, 0)
	if x.MaxPPS != 2_000_000 || x.StepPPS != 200 {
		t.Errorf("%+v", x)
	}
	if x := stepped(search.Throughput{MinPPS: 1000}, 900, 500); x.MaxPPS != 1001 || x.StepPPS != 1 {
		t.Errorf("a generator below the lowest load: %+v", x)
	}
}

func TestSearchesThatCannotBe(t *testing.T) {
	s := settings(t, "ndr")
	s.Search.Goals = []scenario.Goal{{Name: "odd", ExceedRatio: -1, InitialDuration: scenario.Duration{Duration: time.Minute}}}
	if err := (&Plan{Scenario: s}).Check(); !errors.Is(err, search.ErrSettings) {
		t.Errorf("an initial trial longer than the final: %v", err)
	}
	for _, name := range []string{"ndr", "rfc2544", "loss-curve", "back-to-back", "quick"} {
		if err := (&Plan{Scenario: settings(t, name)}).Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWireIsMeasuredWhereUPFsWere: each rate that was found, once.
func TestWireIsMeasuredWhereUPFsWere(t *testing.T) {
	at := func(pps float64, direction string, repeat int, load string) record.Trial {
		return record.Trial{Kind: record.KindLatency, Direction: record.Direction(direction), Repeat: repeat, Load: loadAt(load, pps)}
	}
	r := &run{plan: &Plan{}, result: &record.Result{DUTs: []record.DUT{
		{Name: "wire", Reference: true, Searches: []record.Search{{Direction: "uplink", Repeat: 1, NDRPPS: 1e6}},
			Trials: []record.Trial{at(1e5, "uplink", 1, "10 % of NDR")}},
		{Name: "builtin", Mode: "xdp", Searches: []record.Search{{Direction: "uplink", Repeat: 1, NDRPPS: 8e5},
			{Direction: "uplink", Repeat: 2, NDRPPS: 7e5}},
			Trials: []record.Trial{at(1000, "uplink", 1, "1k"), at(4e5, "uplink", 1, "50 % of NDR"),
				at(4e5, "uplink", 1, "50 % of NDR"), at(7e5, "uplink", 2, "100 % of NDR")}},
		{Name: "eupf", Searches: []record.Search{{Direction: "downlink", Repeat: 1, ThroughputPPS: 5e5}},
			Trials: []record.Trial{at(5e5, "downlink", 1, "100 % of throughput")}},
	}}}
	r.plan.Targets = []dut.Target{{Driver: noDUT{"wire"}}, {Driver: noDUT{"builtin"}, Mode: "xdp"}, {Driver: noDUT{"eupf"}}}
	var got []string
	for _, x := range r.foundLatencies(1) {
		got = append(got, string(x.Direction)+" "+x.Load.String())
	}
	if want := []string{"uplink 50 % of NDR of builtin:xdp", "downlink 100 % of throughput of eupf"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
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

// TestTrialsOfWhichNearlyAllWasSent count in a search; those of which less was sent, or
// with which something else is wrong, do not.
func TestTrialsOfWhichNearlyAllWasSent(t *testing.T) {
	for _, c := range []struct {
		sent   uint64
		faults []record.Fault
		want   bool
	}{
		{998_000, []record.Fault{record.FaultNotSent}, true},
		{997_000, []record.Fault{record.FaultNotSent}, false},
		{1_002_000, []record.Fault{record.FaultNotSent}, false},
		{998_000, []record.Fault{record.FaultNotSent, record.FaultCatchUp}, false},
		{998_000, []record.Fault{record.FaultSteal}, false},
		{0, []record.Fault{record.FaultNotSent}, false},
	} {
		if got := nearlyAll(record.Trial{Sending: record.Sending{Intended: 1_000_000},
			Traffic: record.Traffic{TxPackets: c.sent}, Faults: c.faults}); got != c.want {
			t.Errorf("%d of a million, %v: %v", c.sent, c.faults, got)
		}
	}
}
