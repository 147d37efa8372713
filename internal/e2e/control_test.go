package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// smallControl has each part of a control-plane study once.
const smallControl = `
name: small-control
directions: [downlink]
loads: [max]
duration: 300ms
sessions: 10
latency: {rate: 1k, duration: 100ms}
control:
  procedures: [mix]
  mix: [{procedure: attach}, {procedure: detach}, {procedure: idle}, {procedure: active}, {procedure: handover}]
  population: 100
  max: 2k
  trial: 100ms
  shares: [0.5]
  capacity: 200
  beside: [0.2]
  churn: [50]
  pdrs: [16]
`

// TestControlPlane: each part of the study once, small, on the reference UPF.
func TestControlPlane(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	folder := t.TempDir()
	file, dir := filepath.Join(folder, "small.yaml"), filepath.Join(folder, "result")
	if err := os.WriteFile(file, []byte(smallControl), 0o644); err != nil {
		t.Fatal(err)
	}
	c := upflab(t, []string{"run", file, "--dut", "builtin:xdp", "--out", dir})
	c.finishes(0, 3) // 3: trials on a busy machine may be not valid
	r := load(t, dir)
	if len(r.DUTs) != 2 || r.DUTs[1].ControlPlane == nil {
		t.Fatalf("%d DUTs", len(r.DUTs))
	}
	p := r.DUTs[1].ControlPlane
	if len(p.Rates) == 0 || p.BenchPerS <= 0 {
		t.Errorf("rates %+v, bench %v", p.Rates, p.BenchPerS)
	}
	if x := p.Capacity; x == nil || x.Sessions != 200 || x.TornDown != 200 || x.Ended != "bound" {
		t.Errorf("capacity %+v", x)
	}
	if len(p.Beside) != 3 || p.Beside[2].Procedures == nil || p.Beside[2].Procedures.Done == 0 || p.Beside[2].TxPackets == 0 {
		t.Errorf("beside %+v", p.Beside)
	}
	if len(p.Scales) != 1 || p.Scales[0].RxPPS <= 0 || p.Scales[0].N != 16 {
		t.Errorf("scales %+v", p.Scales)
	}
	if len(p.Incidents) > 0 {
		t.Errorf("incidents %+v", p.Incidents)
	}
}

// TestResilience: a UE's path is switched, and the UPF is killed and started again.
func TestResilience(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	upflab(t, []string{"run", "resilience", "--dut", "builtin:xdp", "--case", "handover.1", "--case", "idle.1",
		"--case", "upf.killed", "--out", dir,
		"--set", "thresholds=resilience.problems == 0,resilience.outage < 1ms", "--pcap"}).finishes(4)
	r := load(t, dir)
	if len(r.Thresholds) != 2 || r.Thresholds[0].Outcome != record.OutcomePass || r.Thresholds[1].Outcome != record.OutcomeFail {
		t.Errorf("a killed UPF has an outage, and no incident has a problem: %+v", r.Thresholds)
	}
	if _, err := os.Stat(filepath.Join(dir, "builtin-xdp", "packets.pcapng")); err != nil {
		t.Error(err)
	}
	if len(r.DUTs) != 1 || len(r.DUTs[0].Incidents) != 3 {
		t.Fatalf("%d DUTs", len(r.DUTs))
	}
	x := r.DUTs[0].Incidents
	for _, i := range x {
		if i.Problem != "" || i.Uplink == nil || i.Uplink.Sent == 0 || i.Downlink.Sent == 0 {
			t.Errorf("%s: %+v", i.ID, i)
		}
	}
	if h := x[0].Handover; h == nil || h.EndMarkers != 1 || h.MarkedUEs != 1 || h.AfterMarker != 0 || h.Misdelivered != 0 {
		t.Errorf("handover %+v", h)
	}
	if k := x[1].Buffer; k == nil || k.Kept == 0 || k.Leaked != 0 || !k.Reported {
		t.Errorf("buffer %+v", k)
	}
	if u := x[2].Uplink; u.OutageS <= 0 || u.AffectedUEs != 20 || len(x[2].Phases) != 4 {
		t.Errorf("killed: %+v, %v", u, x[2].Phases)
	}
}
