package client_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/fleettest"
	"github.com/upflab/upflab/internal/text/wait"
)

var withGuest = flag.Bool("guest", false, "run TestClockJumps, which boots User Mode Linux")

const (
	// guestNS has one end of the guest's cable, and the hub.
	guestNS = "upflab-clock"
	// insideVariable marks the process that tests in guestNS.
	insideVariable = "UPFLAB_TEST_INSIDE"
	guestLog       = "/run/agent.txt"
)

// TestClockJumps: the clock of a host is set three days ahead and then 400 days back in the
// middle of a run. Its lease holds, the run goes on, nobody else begins the job, and the time
// that the job took is right. The host is a guest, whose kernel has another clock than this machine.
func TestClockJumps(t *testing.T) {
	if !*withGuest {
		t.Skip("-guest runs it")
	}
	if os.Getenv(insideVariable) == "" {
		insideNamespace(t)
		return
	}
	l := fleettest.New(t, 6*time.Second)
	pass := l.Pass("guest", "guest")
	pass.URLs = []string{l.LinkAt("192.168.98.1").URL()}
	c, p, out := l.Operator(), fleettest.Plan(1), t.TempDir()
	if _, err := client.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	const length = 15 * time.Second
	said := bootGuest(t, pass, length)
	waitSaid(t, said, "begun")
	l.Agent(l.Config(l.Pass("other", "other"), "other", 0)) // it would take the job
	r := l.Follow(c, p, out, time.Minute)[p.Jobs[0].ID]
	waitSaid(t, said, "serving testbed") // at its end
	t.Logf("the guest said:\n%s", said())
	if r.Testbed != "guest" || r.Attempts != 1 || r.State != fleet.Done || r.Took < length || r.Took > 2*length {
		t.Errorf("%+v", r)
	}
	if n := len(l.Begun()); n > 0 {
		t.Errorf("another agent began %d jobs", n)
	}
	fleettest.CheckResults(t, p, out)
}

// insideNamespace runs this test again in a namespace with the guest's cable.
func insideNamespace(t *testing.T) {
	t.Helper()
	command(t, "ip netns add "+guestNS)
	t.Cleanup(func() { command(t, "ip netns delete "+guestNS) })
	for _, args := range []string{"link set lo up", "tuntap add tap0 mode tap", "address add 192.168.98.1/24 dev tap0", "link set tap0 up"} {
		command(t, "ip -n "+guestNS+" "+args)
	}
	again := exec.Command("ip", "netns", "exec", guestNS, os.Args[0], "-test.run=^TestClockJumps$", "-test.v", "-guest")
	again.Env = append(os.Environ(), insideVariable+"=1")
	said, err := again.CombinedOutput()
	t.Logf("%s", said)
	if err != nil {
		t.Error(err)
	}
}

func command(t *testing.T, line string) {
	t.Helper()
	f := strings.Fields(line)
	if out, err := exec.Command(f[0], f[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// guestScript is the guest's first process: this test program as an agent, and two jumps of the
// clock when its run has begun.
const guestScript = `#!/bin/sh
mount -t proc proc /proc
mount -t tmpfs none /run
ip link set lo up
ip link set vec0 up
ip address add 192.168.98.2/24 dev vec0
sleep 600 | env '%s' '%s' > ` + guestLog + ` 2>&1 &
until grep -q begun ` + guestLog + `; do sleep 0.2; done
sleep 1
echo "begun at $(date)"
date -s '+3 days' > /dev/null
echo "clock set ahead: $(date)"
sleep 6
date -s '-400 days' > /dev/null
echo "clock set back: $(date)"
sleep 15
cat ` + guestLog + `
poweroff -f
`

// bootGuest boots a guest with this machine's files, which it only reads; said is what it printed.
func bootGuest(t *testing.T, p *fleet.Pass, run time.Duration) (said func() string) {
	t.Helper()
	dir := t.TempDir()
	data, err := json.Marshal(p)
	passFile, script, log := filepath.Join(dir, "guest.pass"), filepath.Join(dir, "init"), filepath.Join(dir, "said")
	if err == nil {
		err = os.WriteFile(passFile, data, 0o600)
	}
	if err == nil {
		err = os.WriteFile(script, fmt.Appendf(nil, guestScript, fleettest.AgentEnvironment(passFile, "/run/agent", run), os.Args[0]), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c := exec.Command("linux.uml", "mem=256M", "root=none", "rootfstype=hostfs", "ro", "init="+script,
		"vec0:transport=tap,ifname=tap0,depth=64,gro=1", "con=null", "con0=fd:0,fd:1")
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() }) // it ends by itself
	return func() string { text, _ := os.ReadFile(log); return string(text) }
}

func waitSaid(t *testing.T, said func() string, text string) {
	t.Helper()
	if !wait.Until(40*time.Second, 100*time.Millisecond, func() bool { return strings.Contains(said(), text) }) {
		t.Fatalf("the guest did not say %q:\n%s", text, said())
	}
}
