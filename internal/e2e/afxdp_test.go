package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFXDP: two CPUs send by AF_XDP, each by a queue of its own, through the wire and an
// XDP UPF; the result names the sockets and how they send.
func TestAFXDP(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	upflab(t, quick(dir, "--set", "engine=af_xdp", "--set", "cpu.generator=0,1", "--set", "queues=2", "--set",
		"sessions=4", "--dut", "builtin:xdp")).finishes(0, 3)
	r := load(t, dir)
	checkRun(t, r, "builtin:xdp", 4)
	if r.Engine.Name != "af_xdp" {
		t.Errorf("the engine is %+v", r.Engine)
	}
	for _, d := range r.DUTs {
		queues := map[int]int{}
		for _, s := range d.Setup.Sockets {
			queues[s.Queue]++
			if s.ZeroCopy || s.Why == "" {
				t.Errorf("%s: %+v: a veth has no zero copy", d.Name, s)
			}
		}
		if queues[0] != 2 || queues[1] != 2 {
			t.Errorf("%s: sockets %+v, want one for each port and queue", d.Name, d.Setup.Sockets)
		}
	}
	report, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil || !strings.Contains(string(report), "queue 1: each frame copied (operation not supported)") {
		t.Errorf("the report does not say how the sockets send (%v)", err)
	}
}
