package main

import (
	"slices"
	"testing"
)

// TestArguments: the scenario comes first however the flags are spelled, since the settings of the plan
// are put after it.
func TestArguments(t *testing.T) {
	for _, c := range []struct {
		story string
		args  []string
		file  bool
		want  []string // nil: refused
	}{
		{"the scenario last", []string{"--dut", "external", "quick"}, false, []string{"quick", "--dut", "external"}},
		{"in one word", []string{"quick", "--dut=external", "--pcap"}, false, []string{"quick", "--dut", "external", "--pcap=100"}},
		{"a file", []string{"mine.yaml", "--full"}, true,
			[]string{"/var/lib/upflab/keys/scenario.yaml", "--dut", "builtin", "--full"}},
		{"none named", []string{"--set=loads=1k"}, false, []string{"load-latency", "--dut", "builtin", "--set", "loads=1k"}},
		{"a flag that pods do not take", []string{"quick", "--out", "/"}, false, nil},
		{"two scenarios", []string{"quick", "stress"}, false, nil},
	} {
		got, err := arguments(c.args, c.file)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%s: %q %v, want %q", c.story, got, err, c.want)
		}
	}
}
