//go:build linux && amd64

package killmatrix

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
)

var points = flag.Int("points", 24, "how many `N` interruptions TestMatrix makes; 200 or more for the full matrix")
var ways = flag.String("ways", "SIGKILL,ENOSPC,SIGHUP", "how TestMatrix interrupts, in turn")

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	switch role := flag.Args(); {
	case len(role) == 3 && role[0] == "victim":
		err = runVictim(role[1], role[2])
	case len(role) == 2 && role[0] == "clean":
		err = runClean(role[1])
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// machine is a namespace that plays the host, and the folder of lists.
type machine struct {
	t         *testing.T
	home, dir string
	run       string
	log       strings.Builder // of the victim and the cleaning
}

// shell runs a script and fails the test when it fails.
func (m *machine) shell(script string) {
	m.t.Helper()
	if out, err := exec.Command("sh", "-ec", script).CombinedOutput(); err != nil {
		m.t.Fatalf("%s: %v: %s", script, err, out)
	}
}

// newMachine makes four ports, cabled in pairs, and gives one all that an administrator
// can.
func newMachine(t *testing.T) *machine {
	t.Helper()
	if lacks := missing(); len(lacks) > 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the kill matrix needs %v", lacks)
		}
		t.Skipf("needs %v", lacks)
	}
	id := host.NewRunID()
	m := &machine{t: t, home: "upflab-" + id + "-machine", dir: t.TempDir(), run: other(id)}
	m.shell("ip netns add " + m.home)
	t.Cleanup(func() { exec.Command("ip", "netns", "delete", m.home).Run() })
	m.shell("ip netns exec " + m.home + ` sh -ec '
		ip link set lo up
		ip link add p0 type veth peer name p1
		ip link add p2 type veth peer name p3
		sysctl -qw net.ipv4.conf.p0.rp_filter=2 net.ipv6.conf.p0.accept_ra=0 net.ipv6.conf.p0.accept_dad=0 net.ipv6.conf.p1.accept_dad=0 net.ipv6.conf.p2.accept_dad=0 net.ipv6.conf.p3.accept_dad=0 net.ipv4.neigh.p0.mcast_solicit=9
		ip link set p0 up mtu 1700 && ip link set p1 up mtu 1700 && ip link set p2 up
		ip addr add 10.9.9.9/24 dev p0 label p0:mgmt && ip addr add 10.9.9.10/24 dev p0
		ip -6 addr add 2001:db8::9/64 dev p0 nodad && ip -6 addr add fe80::9/64 dev p0 nodad
		ip route add 10.77.0.0/16 via 10.9.9.1 table 77 metric 7
		ip -6 route add 2001:db8:77::/48 via 2001:db8::1 table 77
		ethtool -K p0 gro on && ethtool -K p1 tso off
		echo 1 >/sys/class/net/p0/threaded'`)
	m.shell(`for c in /proc/[0-9]*/comm; do case $(cat $c 2>/dev/null) in napi/p0-*) renice -n 3 -p $(echo $c | cut -d/ -f3) >/dev/null;; esac; done`)
	time.Sleep(200 * time.Millisecond) // the ports find their carriers
	return m
}

// other is a run's number that is not this one: what a killed victim left is removed, and
// the machine is not.
func other(id string) string {
	if id[0] == 'm' {
		return "n" + id[1:]
	}
	return "m" + id[1:]
}

// victim runs one under injection.
func (m *machine) victim(inject injection) (seen outcome, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: it is the tracer, in another namespace
		cmd := exec.Command("/proc/self/exe", "victim", m.dir, m.run)
		var out *os.File
		if out, err = os.CreateTemp(m.t.TempDir(), "victim"); err != nil {
			return
		}
		defer out.Close()
		cmd.Stdout, cmd.Stderr = out, out
		cmd.SysProcAttr = &unix.SysProcAttr{Ptrace: true}
		if err = m.enter(); err != nil {
			return
		}
		if err = cmd.Start(); err != nil {
			return
		}
		seen, err = trace(cmd.Process.Pid, inject)
		cmd.Process.Release()
		text, _ := os.ReadFile(out.Name())
		m.log.Write(text)
	}()
	<-done
	return seen, err
}

// enter moves the calling thread into the machine's namespace.
func (m *machine) enter() error {
	fd, err := unix.Open("/run/netns/"+m.home, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Setns(fd, unix.CLONE_NEWNET)
}

// clean is `upflab clean`, in a process of its own.
func (m *machine) clean() error {
	self, failed := os.Executable()
	if failed != nil {
		return failed
	}
	out, err := exec.Command("ip", "netns", "exec", m.home, self, "clean", m.dir).CombinedOutput()
	m.log.Write(out)
	return err
}

// settled takes a snapshot that is as before, or the last one after some time: the
// kernel removes namespaces and programs a little later.
func (m *machine) settled(before snapshot) (diff []string, err error) {
	const within, withOthers = 3 * time.Second, time.Minute
	for start := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		after, err := take(m.home, m.run)
		if err != nil {
			return nil, err
		}
		limit := within
		if diff = differences(before, after); onlyShared(diff) {
			limit = withOthers // another run may have changed them
		}
		if len(diff) == 0 || time.Since(start) > limit {
			return diff, nil
		}
	}
}

// TestMatrix interrupts a victim at points spread over its life, in three ways.
func TestMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	m := newMachine(t)
	before, err := take(m.home, m.run)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := m.victim(injection{})
	if err != nil || whole.status.ExitStatus() != 0 {
		t.Fatalf("uninterrupted: %v, status %d: %s", err, whole.status.ExitStatus(), m.log.String())
	}
	if diff, err := m.settled(before); err != nil || len(diff) > 0 {
		t.Fatalf("uninterrupted, it leaves\n%s\n%v", strings.Join(diff, "\n"), err)
	}
	start, calls, ways := time.Now(), map[string]int{}, strings.Split(*ways, ",")
	for i := range *points {
		what, n := ways[i%len(ways)], len(ways)
		at := 1 + (i/n*n*whole.points)/(*points) + i%n
		if call := m.point(before, injection{what, at}); call != "" {
			calls[what]++
		}
		if t.Failed() { // what is left would fail the others
			break
		}
	}
	t.Logf("%d interruptions (%v) at system calls of %d that change the machine, in %v", *points, calls, whole.points,
		time.Since(start).Round(time.Second))
}

// point is one interruption.
func (m *machine) point(before snapshot, inject injection) (call string) {
	m.log.Reset()
	seen, err := m.victim(inject)
	if err == nil {
		err = m.clean()
	}
	diff, failed := m.settled(before)
	if err := errors.Join(err, failed); err != nil || len(diff) > 0 {
		m.t.Errorf("%s at call %d of %d (%s): %v\n%s\n%s", inject.what, inject.at, seen.points, seen.call, err,
			strings.Join(diff[:min(len(diff), 40)], "\n"), m.log.String())
	}
	return seen.call
}
