package e2e

import (
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// Applications run through each UPF, after forwarding without one and the gateway alone.
// On a busy machine flows are not valid, but there.
func TestFlows(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	upflab(t, []string{"run", shortFlows(t, "tcp", "ping", "http"), "--out", dir, "--dut", "builtin:xdp"}).finishes(0, 3)
	r := load(t, dir)
	if len(r.DUTs) != 3 || r.DUTs[0].Name != "n6" || r.DUTs[1].Name != "decap" || r.DUTs[2].Name != "builtin" {
		t.Fatalf("DUTs %+v", r.DUTs)
	}
	for _, d := range r.DUTs {
		if d.Reference != (d.Name != "builtin") || len(d.Flows) != 3 {
			t.Errorf("%s: reference %v, %d flows", d.Name, d.Reference, len(d.Flows))
			continue
		}
		checkFlows(t, d)
	}
}

// checkFlows wants data of TCP, ping and pages.
func checkFlows(t *testing.T, d record.DUT) {
	t.Helper()
	for i, kind := range []string{record.FlowTCP, record.FlowPing, record.FlowHTTP} {
		f := d.Flows[i]
		if f.Kind != kind || f.LimitedBy == "" {
			t.Errorf("%s: flow %d is %q, limited by %q", d.Name, i, f.Kind, f.LimitedBy)
		}
		if kind != record.FlowPing && f.GoodputBPS == 0 || kind != record.FlowTCP && f.RTT == nil {
			t.Errorf("%s, %s: goodput %v, RTT %v, %q", d.Name, kind, f.GoodputBPS, f.RTT, f.Reasons)
		}
	}
}
