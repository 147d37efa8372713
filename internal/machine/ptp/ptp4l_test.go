package ptp

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

var withPTP4L = flag.Bool("ptp4l", false, "run TestPTP4L, which takes half a minute and needs linuxptp")

// TestNotRunning: a host without ptp4l is no failure.
func TestNotRunning(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, ErrNotRunning) {
		t.Error(err)
	}
}

// TestPTP4L has two ptp4l in namespaces follow each other over a veth link with software time
// stamps, and compares what they say with what pmc reads. They run free: the machine's clock is
// left alone.
func TestPTP4L(t *testing.T) {
	if !*withPTP4L {
		t.Skip("-ptp4l runs it")
	}
	sockets := map[string]string{"m": filepath.Join(t.TempDir(), "m"), "s": filepath.Join(t.TempDir(), "s")}
	for _, ns := range []string{"m", "s"} {
		run(t, "ip netns add upflab-ptp-"+ns)
		t.Cleanup(func() { run(t, "ip netns delete upflab-ptp-"+ns) })
	}
	run(t, "ip -n upflab-ptp-m link add p0 type veth peer name p0 netns upflab-ptp-s")
	for i, ns := range []string{"m", "s"} {
		run(t, fmt.Sprintf("ip -n upflab-ptp-%s address add 192.168.77.%d/24 dev p0", ns, i+1))
		run(t, "ip -n upflab-ptp-"+ns+" link set p0 up")
		c := exec.Command("ip", "netns", "exec", "upflab-ptp-"+ns, "ptp4l", "-i", "p0", "-S", "--free_running=1",
			"--uds_address="+sockets[ns], fmt.Sprintf("--priority1=%d", 100+i))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	}
	var s State
	var err error
	wait.Until(time.Minute, 100*time.Millisecond, func() bool {
		s, err = Read(sockets["s"])
		return s.Followed && s.PathDelayNS != 0
	})
	master, errMaster := Read(sockets["m"])
	t.Logf("%+v, master %+v", s, master)
	if err != nil || errMaster != nil || !s.Followed || s.Steps != 1 || len(s.Ports) != 1 || master.Followed ||
		len(master.Ports) != 1 || master.Ports[0] != "MASTER" {
		t.Fatalf("%+v %v, master %+v %v", s, err, master, errMaster)
	}
	comparePMC(t, sockets["s"])
}

// comparePMC wants what pmc says, before or after: there is a new offset each second.
func comparePMC(t *testing.T, socket string) {
	t.Helper()
	for range 10 {
		before := pmc(t, socket)
		s, err := Read(socket)
		if err != nil {
			t.Fatal(err)
		}
		if before != pmc(t, socket) {
			continue
		}
		for _, want := range []string{fmt.Sprintf("offsetFromMaster %d.0", s.OffsetNS), fmt.Sprintf("meanPathDelay %d.0", s.PathDelayNS),
			fmt.Sprintf("stepsRemoved %d", s.Steps), "gmIdentity " + s.Grandmaster, "portState " + s.Ports[0]} {
			if !strings.Contains(before, want) {
				t.Errorf("pmc does not say %q: %s", want, before)
			}
		}
		return
	}
	t.Error("pmc never said the same twice")
}

func pmc(t *testing.T, socket string) string {
	t.Helper()
	out, err := exec.Command("pmc", "-u", "-b", "0", "-s", socket, "-i", filepath.Join(os.TempDir(), "upflab-pmc"),
		"GET CURRENT_DATA_SET", "GET TIME_STATUS_NP", "GET PORT_DATA_SET").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(string(out), "sending:", "")), " ")
}

func run(t *testing.T, command string) {
	t.Helper()
	f := strings.Fields(command)
	if out, err := exec.Command(f[0], f[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}
