package cli

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestEstimateOfDryRun holds the time that --dry-run names against runs that were made: on a shared
// virtual machine with two CPUs, mostly while others used it too, with the attempts that this costs. Nine
// in ten are within 50 %.
func TestEstimateOfDryRun(t *testing.T) {
	off, all := 0, 0
	for _, c := range []struct {
		args string
		took []float64 // s
	}{
		{"quick --dut oai:xdp --set qfi=8", []float64{25.8}},
		{"quick --dut spgwu", []float64{20.7}},
		{"quick --dut nextgcore", []float64{46}},
		{"quick --set loads=20k --set duration=1s --set directions=uplink --set latency.duration=300ms --set attempts=1",
			[]float64{19.2, 20.4}},
		{"quick --dut eupf:native --dut open5gs:tun --dut builtin:xdp --set loads=20k --set duration=500ms --set directions=uplink",
			[]float64{29}},
		{"ndr --set directions=uplink", []float64{65.3, 66.9, 82.5, 85.8, 90.6, 91.6, 103.8, 112.3, 122.1, 150.1, 155}},
		{"stress --set directions=uplink", []float64{290.7}},
		{"behaviour --dut builtin:xdp --dut builtin:afpacket --dut builtin:tun", []float64{292.5}},
		{"behaviour --dut eupf:native --dut open5gs:tun", []float64{687.6}},
		{"behaviour --dut eupf:native --dut eupf:generic", []float64{752.6}},
		{"behaviour --dut open5gs:tun --dut open5gs:tap", []float64{532.6}},
		{"behaviour --dut oai:simple", []float64{242.3}},
		{"ue-throughput --dut builtin:tun --set rules.mbr=1000 --set duration=10s --set attempts=1", []float64{174.7, 166.3}},
	} {
		_, out, _ := typed(append([]string{"run", "--dry-run"}, strings.Fields(c.args)...)...)
		m := regexp.MustCompile(`(?m)^Time: about ([0-9hms]+)`).FindStringSubmatch(out)
		if m == nil {
			t.Errorf("%s: no time in\n%s", c.args, out)
			continue
		}
		about, err := time.ParseDuration(m[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, took := range c.took {
			all++
			if math.Abs(about.Seconds()-took) > took/2 {
				off++
				t.Logf("%s: about %v, took %.0f s", c.args, about, took)
			}
		}
		t.Logf("%-50.50s about %7v, took %v s", c.args, about, c.took)
	}
	if off*10 > all {
		t.Errorf("%d of %d runs took 50 %% more or less than --dry-run says", off, all)
	}
}
