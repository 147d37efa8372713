package record

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestElsewhereIsNotKnown: of a UPF that its operator placed, results of before had the CPUs that one
// of upflab's would have: its CPU time is at least that of its threads, and of its CPUs nothing is known.
func TestElsewhereIsNotKnown(t *testing.T) {
	const old = `{"schema":"upflab.result/v1","host":{"placement":{"kind":"separate","generator":0,"sink":1,"dut":[1]}},"duts":[
		{"name":"external","trials":[
		 {"cpu":{"dut_cores":0.3,"generator_cores":0.4,"dut_core_busy":0,
		   "dut_parts":[{"name":"threads","cores":0.1},{"name":"NAPI threads","cores":0},{"name":"softirq","cores":0.2}]},
		  "evidence":{"dut_core_busy":0,"others_busy":0,"dut_busiest_core":0,"dut_busiest_thread":0,"run_queue_delay":0.5,"context_switches_per_s":9}},
		 {"cpu":{"dut_cores":0,"dut_core_busy":0},
		  "evidence":{"dut_core_busy":0,"others_busy":0,"dut_busiest_core":0,"dut_busiest_thread":0,"run_queue_delay":0,"context_switches_per_s":0}},
		 {"cpu":{"dut_cores":0.5,"dut_core_busy":0.75,"dut_parts":[{"name":"process 7, over SSH","cores":0.5}]},
		  "evidence":{"dut_core_busy":0.75,"others_busy":0.25,"run_queue_delay":0,"context_switches_per_s":0}},
		 {"cpu":{"dut_cores":0.5,"dut_core_busy":0.5,"dut_parts":[{"name":"its whole machine, by node-exporter","cores":0.5}]}}]}]}`
	var r Result
	if err := json.Unmarshal([]byte(old), &r); err != nil {
		t.Fatal(err)
	}
	r.MarkBounds()
	trials := r.DUTs[0].Trials
	if c := trials[0].CPU; c.DUTCores != 0.1 || len(c.DUTParts) != 1 || !c.AtLeast {
		t.Errorf("of a process: %+v", c)
	}
	if !trials[2].CPU.AtLeast || trials[1].CPU.AtLeast || trials[3].CPU.AtLeast {
		t.Error("over SSH only the process is watched; without one nothing is, and with node-exporter all")
	}
	if x := trials[0].Evidence; x.CoreBusy != nil || x.Others != nil || x.RunQueueDelay == nil || *x.RunQueueDelay != 0.5 {
		t.Errorf("evidence %+v", x)
	}
	if x := trials[2].Evidence; x.CoreBusy == nil || *x.CoreBusy != 0.75 {
		t.Errorf("evidence over SSH %+v", x)
	}
	if p := r.Host.Placement; p.Kind != PlacedElsewhere || p.DUT != nil || p.Sink != 1 {
		t.Errorf("placement %+v", p)
	}
	data, err := json.Marshal(trials[1].Evidence)
	for _, name := range []string{"dut_core_busy", "others_busy", "dut_busiest_core", "dut_busiest_thread", "run_queue_delay", "context_switches_per_s"} {
		if err != nil || strings.Contains(string(data), name) {
			t.Errorf("%s is in %s (%v)", name, data, err)
		}
	}
}
