package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/consistency"
	"github.com/upflab/upflab/internal/results/store"
)

// load reads the result of a run.
func load(t *testing.T, dir string) *record.Result {
	t.Helper()
	r, err := store.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, why := range consistency.Check(r) {
		t.Errorf("the result contradicts itself: %s", why)
	}
	return r
}

// The names that a reader of result.json may rely on.
const (
	namesOfResult = "schema scenario started finished complete host duts"
	namesOfDUT    = "name mode version trials"
	namesOfTrial  = "kind direction sessions payload_bytes frame_bytes offered_pps duration_s tx_packets " +
		"rx_packets tx_pps rx_pps tx_l2_bps rx_l2_bps frame_loss_ratio duplicates reordered wrong latency_ns " +
		"jitter_ns cpu memory_bytes limited_by valid reasons"
	namesOfLatency = "min mean p50 p90 p99 p999 max count"
	namesOfCPU     = "dut_cores generator_cores"
)

// checkNames holds result.json to the published names.
func checkNames(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	var r map[string]any
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	has(t, "result", r, namesOfResult)
	if r["schema"] != "upflab.result/v1" {
		t.Errorf("schema is %v", r["schema"])
	}
	for _, d := range list(r["duts"]) {
		has(t, "dut", d, namesOfDUT)
		for _, trial := range list(d["trials"]) {
			has(t, "trial", trial, namesOfTrial)
			has(t, "latency_ns", object(trial["latency_ns"]), namesOfLatency)
			has(t, "cpu", object(trial["cpu"]), namesOfCPU)
			if _, ok := trial["reasons"].([]any); !ok {
				t.Errorf("reasons is %v, not a list", trial["reasons"])
			}
		}
	}
}
