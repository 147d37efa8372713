package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestExternalRAN: a UE's interface that somebody else gives, here by `ue up`, carries the
// same flows, and a bench by another one is named as the limit.
func TestExternalRAN(t *testing.T) {
	privileged(t)
	needPrograms(t, "iperf3", "ping")
	nothingLeft(t)
	up := upflab(t, []string{"ue", "up"})
	up.until("it is up", func() bool { return strings.Contains(up.stdout.String(), "Ctrl-C") })
	id := ""
	for _, word := range strings.Fields(up.stdout.String()) {
		if rest, ok := strings.CutPrefix(word, "upflab-"); ok && strings.HasSuffix(rest, "-ue") {
			id = strings.TrimSuffix(rest, "-ue")
		}
	}
	file := filepath.Join(t.TempDir(), "ran.yaml")
	text := fmt.Sprintf("ran: external\nexternal_ue:\n  interfaces: [ue-%[1]s]\n  bench_interface: ue-%[1]s\n  namespace: upflab-%[1]s-ue\n  dn_namespace: upflab-%[1]s-dn\n"+
		"flows:\n  - {kind: tcp, duration: 1s}\n  - {kind: ping, duration: 1s, one_way: 50}\n", id)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "result")
	upflab(t, []string{"run", file, "--dut", "external", "--out", dir}).finishes(0, 3) // a busy host makes flows not valid
	r := load(t, dir)
	if len(r.DUTs) != 2 || r.DUTs[0].Name != "decap" || r.DUTs[1].Name != "external" || len(r.DUTs[1].Flows) != 2 {
		t.Fatalf("%+v", r.DUTs)
	}
	for _, f := range r.DUTs[1].Flows {
		if f.Kind == "tcp" && f.GoodputBPS == 0 || f.Kind == "ping" && (f.RTT == nil || len(f.OneWay) != 2) {
			t.Errorf("%+v", f)
		}
	}
	upflab(t, []string{"run", file}).finishes(2)
	up.signal(syscall.SIGINT)
	if got := up.status(20 * time.Second); got != 0 {
		t.Errorf("exit status %d\n%s", got, up.said())
	}
}
