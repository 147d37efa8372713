package nextgcore

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/wait"
)

// fakeProgram is used in place of nextgcore-upfd.
func fakeProgram(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), program)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPFLAB_NEXTGCORE", path)
	return path
}

func one() *scenario.Scenario {
	return &scenario.Scenario{
		Packets: scenario.Packets{Sessions: 1},
		Network: scenario.Network{MTU: 1600, N3: scenario.N3{UPF: netip.MustParseAddr("192.168.13.151")}},
		SessionRules: scenario.SessionRules{
			UE: scenario.UE{Pool: netip.MustParsePrefix("10.45.0.0/16"), First: netip.MustParseAddr("10.45.0.2")},
		},
	}
}

func TestRefused(t *testing.T) {
	if err := check(one()); err != nil {
		t.Error(err)
	}
	for words, change := range map[string]func(*scenario.Scenario){
		"teid.assign=smf":                    func(s *scenario.Scenario) { s.TEID.Assign = scenario.AssignUPF },
		"set ue.first to an IPv4 address":    func(s *scenario.Scenario) { s.UE.First = netip.MustParseAddr("2001:db8::2") },
		"set n3.upf to an IPv4 address, not": func(s *scenario.Scenario) { s.N3.UPF = netip.MustParseAddr("2001:db8::1") },
	} {
		s := one()
		change(s)
		if err := check(s); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("the error %v does not say %q", err, words)
		}
	}
}

// Without what it calls, it ends at the start.
func TestCalls(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := calls(dut.Env{}); err == nil || !strings.Contains(err.Error(), "apt-get install iproute2 iptables") {
		t.Errorf("the error is %v", err)
	}
	if err := calls(dut.Env{Elsewhere: true}); err != nil {
		t.Error(err)
	}
}

func TestVersion(t *testing.T) {
	if v, err := version(fakeProgram(t, "echo nextgcore-upfd 0.1.0")); v != "v0.1.0" || err != nil {
		t.Errorf("version %q, %v", v, err)
	}
	for script, words := range map[string]string{
		"echo Open5GS v2.8.0": "is it nextgcore-upfd?",
		"echo error while loading shared libraries: libx.so.1 >&2; exit 127": "libx.so.1",
	} {
		if v, err := version(fakeProgram(t, script)); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: version %q, %v", script, v, err)
		}
	}
}

// start starts a script in its place.
func start(t *testing.T, script string) (*dut.Instance, error) {
	t.Helper()
	if err := calls(dut.Env{}); err != nil {
		t.Skipf("not tested: %v", err)
	}
	fakeProgram(t, script)
	return Driver{}.Start(context.Background(), dut.Env{Scenario: one(), Dir: t.TempDir(), Site: sitetest.Build(t), CPUs: []int{0}})
}

// A script does what the UPF does with its device. When it has, the device has the link's MTU, and
// the pool leads to it.
func TestStart(t *testing.T) {
	i, err := start(t, `echo "$@"; while [ "$1" != --tun-ifname ]; do shift; done
		ip addr add 169.254.0.1/32 dev $2; ip link set $2 up; sleep 0.2; ip link set $2 mtu 1400
		cat /sys/class/net/$2/mtu; ip route get 10.45.0.2; while sleep 0.1; do cat /sys/class/net/$2/mtu; done`)
	if err != nil {
		t.Fatal(err)
	}
	wait.Until(5*time.Second, 100*time.Millisecond, func() bool { return strings.Contains(i.LogTail(), "\n1600\n") })
	if log := i.LogTail(); !strings.Contains(log, "\n1600\n") || !strings.Contains(log, "10.45.0.2 dev ogstun") {
		t.Errorf("the device is not as it should be: %s", log)
	}
	if at := i.Endpoint; at.Containers() || at.Dialect != smf.NextGCore() || !at.N4.IsValid() {
		t.Errorf("%+v", at)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
}

// One that ends at the start is one error, with the end of its log.
func TestEnds(t *testing.T) {
	_, err := start(t, `echo "Error: Failed to initialize data plane: No such file or directory" >&2; exit 1`)
	if err == nil || !strings.Contains(err.Error(), "Failed to initialize data plane") || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("the error is %v", err)
	}
}
