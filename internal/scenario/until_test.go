package scenario

import (
	"strings"
	"testing"
)

// TestUntilIsRefused: what repeats cannot make known is refused by its name, in one line.
func TestUntilIsRefused(t *testing.T) {
	for _, c := range []struct {
		scenario, sets, want string
	}{
		{"load-latency", "until.precision=0.02 until.decided=0.03", "keep one"},
		{"load-latency", "until.precision=0.02 repeats=5", "leave repeats out"},
		{"load-latency", "until.decided=0.03 repeats=2", "leave repeats out"},
		{"load-latency", "until.precision=0.6", "out of range"},
		{"load-latency", "until.precision=-0.1", "out of range"},
		{"load-latency", "until.precision=2%", "takes a number"},
		{"load-latency", "until.precision=0.005", "latencies are known to 0.78 % at best"},
		{"load-latency", "until.precision=0.02 until.figures=frame_loss_ratio", "no part of itself"},
		{"load-latency", "until.figures=rx_pps", "changes nothing"},
		{"load-latency", "until.at_most=1m", "changes nothing"},
		{"load-latency", "until.precision=0.02 until.at_most=0s", "out of range"},
		{"load-latency", "until.precision=0.02 until.figures=latency.p999", "did you mean latency.p99"},
		{"ndr", "until.precision=0.02", "the scenario has a search"},
		{"stress", "until.precision=0.02", "the scenario has the stress study"},
		{"soak", "until.precision=0.02", "the scenario has a soak"},
		{"behaviour", "until.precision=0.02", "the scenario is of kind behaviour"},
		{"control-plane", "until.decided=0.03", "the scenario has the control-plane study"},
		{"ue-throughput", "until.precision=0.02", "the scenario has applications at UEs"},
	} {
		_, err := Open(c.scenario, strings.Fields(c.sets), false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want it to say %q", c.scenario, c.sets, err, c.want)
		} else if n := strings.Count(err.Error(), "until."); strings.Count(err.Error(), "\n> ") != 1 || n == 0 {
			t.Errorf("%s %s: not one line about it: %v", c.scenario, c.sets, err)
		}
	}
}

// TestUntilIsReadBack: the settings of a run are those that it had, and rates may be known better than latencies.
func TestUntilIsReadBack(t *testing.T) {
	for _, sets := range []string{"until.precision=0.005 until.figures=rx_pps", "until.precision=0.02", "until.decided=0.05 until.at_most=2h", ""} {
		s, err := Open("load-latency", strings.Fields(sets), false)
		if err != nil {
			t.Fatalf("%s: %v", sets, err)
		}
		text, err := Effective(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read([]byte(text), "settings")
		if err != nil || again.Until.Precision != s.Until.Precision || again.Until.Decided != s.Until.Decided ||
			again.Until.AtMost != s.Until.AtMost || strings.Join(again.Until.Names(), ",") != strings.Join(s.Until.Names(), ",") {
			t.Errorf("%s: %+v became %+v, %v", sets, s.Until, again.Until, err)
		}
	}
}
