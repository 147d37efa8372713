package e2e

import (
	"strconv"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestExternal measures a UPF that upflab did not start, from a namespace that it
// did not make.
func TestExternal(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	upf := startUPF(t, "native")
	dir := t.TempDir()
	run := func(dir string) {
		args := append([]string{program()}, quick(dir, "--dut", "external",
			"--set", "external.n3_interface=n3", "--set", "external.n6_interface=n6",
			"--set", "external.pid="+strconv.Itoa(upfProcess()), "--set", "sessions=10")...)
		start(t, inNS(peerNS, args...)).finishes(0, 3)
	}
	run(dir)
	r := load(t, dir)
	checkNames(t, dir)
	if len(r.DUTs) != 1 || r.DUTs[0].Name != "external" || r.DUTs[0].Status != record.StatusOK {
		t.Fatalf("measured %+v", r.DUTs)
	}
	checkTrials(t, r.DUTs[0], 10)
	for _, trial := range r.DUTs[0].Trials {
		if trial.MemoryBytes == 0 {
			t.Errorf("%s %s: no memory of process external.pid", trial.Kind, trial.Direction)
		}
	}
	// It was left as it was found: a second run has the sessions again.
	run(t.TempDir())
	if said := upf.said(); strings.Contains(said, "panic") {
		t.Errorf("the UPF says:\n%s", said)
	}
}

func TestExternalRefused(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	base := []string{"--dut", "external", "--set", "external.n6_interface=n6"}
	for _, c := range []struct {
		name string
		args []string
		says []string
	}{
		{"no interface", []string{"--set", "external.n3_interface=n33"}, []string{"external.n3_interface", "n33"}},
		{"nobody answers ARP", []string{"--set", "external.n3_interface=n3", "--set", "n3.upf=192.168.13.99"}, []string{"192.168.13.99", "ARP"}},
		{"no UPF", []string{"--set", "external.n3_interface=n3"}, []string{"192.168.14.151:8805"}},
		{"no such dialect", []string{"--set", "external.n3_interface=n3", "--set", "external.dialect=nosuch"},
			[]string{"external.dialect", "open5gs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{program()}, quick(t.TempDir(), append(base, c.args...)...)...)
			run := start(t, inNS(peerNS, args...))
			run.finishes(1, 2)
			run.mustSay(c.says...)
		})
	}
}
