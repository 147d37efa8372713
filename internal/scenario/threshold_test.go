package scenario

import (
	"reflect"
	"strings"
	"testing"
)

// TestNeverDecided: a threshold that nothing in the scenario has a figure for is refused before the run.
func TestNeverDecided(t *testing.T) {
	for _, c := range []struct{ scenario, threshold, loads, says string }{
		{"quick", "rx_pps >= 1M", "100k,500k", "the highest load is 500k"},
		{"quick", "rx_pps >= 500k", "100k,500k", ""},
		{"quick", "rx_pps >= 1M", "100k,max", ""},
		{"quick", "rx_pps <= 1M", "100k", ""},
		{"quick", "rx_pps >= 50% of builtin:tun", "100k", ""},
		{"quick", "ndr_pps >= 1M", "100k", "nothing is searched"},
		{"ndr", "ndr_pps >= 1M", "", ""},
		{"ndr", "ndr_pps >= 50% of wire", "", "wire is not searched"},
		{"soak", "rx_pps >= 1G", "", ""},
	} {
		sets := []string{"thresholds=" + c.threshold}
		if c.loads != "" {
			sets = append(sets, "loads="+c.loads)
		}
		_, err := Open(c.scenario, sets, false)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s of %s, %q: %v, want %q", c.scenario, c.loads, c.threshold, err, c.says)
		}
	}
}

func TestThresholdsAreChecked(t *testing.T) {
	for set, want := range map[string]string{
		"thresholds=rx_pps >= 1M,latency.p99 < 1ms @ uplink 500k": "",
		"thresholds=latency.p99 < 1ms @ 50% of NDR":               "",
		"thresholds=rx_ppps >= 1M":                                "did you mean rx_pps",
		"thresholds=rx_pps >= 1M @ both":                          "is for both, which is not among directions",
		"thresholds=rx_pps >= 1M @ 123k":                          "is for a load of 123k, which is not among loads",
		"abort_on_fail=true":                                      "abort_on_fail needs thresholds",
	} {
		s, err := Open("load-latency", []string{set}, false)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", set, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: error %v, want %q in it", set, err, want)
		case err == nil:
			if got := s.ThresholdNames([]string{"wire", "builtin:xdp"}); got != nil {
				t.Errorf("%s: %v", set, got)
			}
		}
	}
	if _, err := Open("control-plane",
		[]string{"thresholds=beside.loss_ratio <= 0 @ uplink 1k,n4.rate >= 1k @ establish"}, false); err != nil {
		t.Errorf("objectives of the control-plane study: %v", err)
	}
	rates, _ := reflect.TypeFor[Control]().FieldByName("Procedures")
	for name := range strings.SplitSeq(rates.Tag.Get("enum"), ",") {
		if _, err := Open("control-plane", []string{"thresholds=n4.rate >= 1k @ " + name}, false); err != nil {
			t.Errorf("a procedure that can be searched has no threshold: %v", err)
		}
	}
	s, err := Open("quick", []string{"thresholds=rx_pps >= 80% of eupf:native"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ThresholdNames([]string{"wire", "builtin:xdp"}); err == nil ||
		!strings.Contains(err.Error(), "names eupf:native, which is not in this run: it has wire, builtin:xdp") {
		t.Errorf("a DUT that is not in the run: %v", err)
	}
}
