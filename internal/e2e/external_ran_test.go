package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// ueUp keeps UEs up, whose interface is then somebody else's to a run. id is that of their
// namespaces; the end of the test takes them down.
func ueUp(t *testing.T, args ...string) (up *command, id string) {
	t.Helper()
	up = upflab(t, append([]string{"ue", "up"}, args...))
	t.Cleanup(func() {
		up.signal(syscall.SIGINT)
		up.status(30 * time.Second)
	})
	up.until("it is up", func() bool { return strings.Contains(up.stdout.String(), "Ctrl-C") })
	for _, word := range strings.Fields(up.stdout.String()) {
		if rest, ok := strings.CutPrefix(word, "upflab-"); ok && strings.HasSuffix(rest, "-ue") {
			id = strings.TrimSuffix(rest, "-ue")
		}
	}
	return up, id
}

// throughUE measures flows of a second by the interface of such a UE; more are lines of
// external_ue.
func throughUE(t *testing.T, id, more string, kinds ...string) []record.DUT {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ran.yaml")
	text := fmt.Sprintf("ran: external\nattempts: 1\nexternal_ue:\n  interfaces: [ue-%[1]s]\n  namespace: "+
		"upflab-%[1]s-ue\n  dn_namespace: upflab-%[1]s-dn\n%[2]sflows:\n", id, more)
	for _, kind := range kinds {
		text += "  - {kind: " + kind + ", direction: uplink, duration: 1s}\n"
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "result")
	upflab(t, []string{"run", file, "--dut", "external", "--out", dir}).finishes(0, 3) // a busy host makes flows not valid
	return load(t, dir).DUTs
}

// TestExternalRAN: a UE's interface that somebody else gives, here by `ue up`, carries the
// same flows, and so does one for the RAN's own ceiling.
func TestExternalRAN(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	needPrograms(t, "iperf3", "ping")
	nothingLeft(t)
	_, id := ueUp(t)
	duts := throughUE(t, id, "  bench_interface: ue-"+id+"\n", "tcp", "ping")
	if len(duts) != 2 || duts[0].Label() != "decap:ran" || duts[1].Name != "external" || len(duts[1].Flows) != 2 {
		t.Fatalf("%+v", duts)
	}
	for _, f := range duts[1].Flows {
		if f.Kind == record.FlowTCP && f.GoodputBPS == 0 || f.Kind == record.FlowPing && f.RTT == nil {
			t.Errorf("%+v", f)
		}
	}
}
