package scenario

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestGoalsOfOnesOwn(t *testing.T) {
	const text = `
search:
  preset: quick
  method: [mlrsearch, loss-curve]
  goals:
    - {name: loose, loss_ratio: 0.01}
    - {name: strict, loss_ratio: 0, width: 0.002, initial_duration: 1s, final_duration: 5s, duration_sum: 20s, exceed_ratio: 0.25}
`
	s, err := Read([]byte(text), "own.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := []Goal{
		{Name: "loose", LossRatio: 0.01, ExceedRatio: -1},
		{Name: "strict", Width: 0.002, InitialDuration: Duration{time.Second}, FinalDuration: Duration{5 * time.Second},
			DurationSum: Duration{20 * time.Second}, ExceedRatio: 0.25},
	}
	if !reflect.DeepEqual(s.Search.Goals, want) {
		t.Errorf("goals %+v, want %+v", s.Search.Goals, want)
	}
	if m := s.Search.Methods; len(m) != 2 || m[1] != MethodLossCurve {
		t.Errorf("methods %v", m)
	}
	whole, err := Effective(s)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read([]byte(whole), "again.yaml")
	if err != nil {
		t.Fatalf("%v\n%s", err, whole)
	}
	if !reflect.DeepEqual(again.Search, s.Search) {
		t.Errorf("read back: %v\n got %+v\nwant %+v", err, again.Search, s.Search)
	}
}

func TestGoalsBySet(t *testing.T) {
	s, err := Open("ndr", []string{"search.goals=loose:0.01,tight:0.0001", "search.method=mlrsearch,back-to-back"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if g := s.Search.Goals; len(g) != 2 || g[0] != (Goal{Name: "loose", LossRatio: 0.01, ExceedRatio: -1}) ||
		g[1].Name != "tight" || g[1].LossRatio != 0.0001 {
		t.Errorf("goals %+v", g)
	}
}

func TestSearchSettingsThatAreRefused(t *testing.T) {
	for set, want := range map[string]string{
		"search.goals=loose":            "needs loss_ratio",
		"search.goals=Loose:0.1":        "lower-case letters",
		"search.goals=loose:1":          "out of range",
		"search.goals=loose:x":          "takes a number",
		"search.method=":                "search.method",
		"search.method=ndr":             "mlrsearch",
		"search.method=tst009,tst009":   "twice",
		"search.curve_step=0.6":         "out of range",
		"search.attempts=1":             "out of range",
		"search.goals=a:0.1,a:0.2":      "two goals are called a",
		"search.goals.width=1":          "unknown key",
		"full.search.preset=thoroughly": "one of off",
	} {
		_, err := Open("ndr", []string{set}, false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--set %s: %v, want it to say %q", set, err, want)
		}
	}
}

// A cycle that the engine has no room for is refused before a UPF is up.
func TestLongCyclesAreRefused(t *testing.T) {
	_, err := Open("quick", []string{"arrivals=on-off", "on_off.on=100ms", "on_off.off=900ms", "loads=150k"}, false)
	if err == nil || !strings.Contains(err.Error(), "150000 packets") {
		t.Errorf("%v", err)
	}
	if _, err := Open("quick", []string{"arrivals=on-off", "on_off.on=100ms", "on_off.off=900ms", "loads=50k,max"}, false); err != nil {
		t.Error(err)
	}
}
