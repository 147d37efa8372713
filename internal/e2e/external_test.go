package e2e

import (
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestExternalDies: where external.pid names the UPF's process, that it ends during a trial is said, the
// trial is not valid by that, and the run ends for the UPF.
func TestExternalDies(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	startUPF(t, "native")
	dir, pid := t.TempDir(), upfProcess()
	run := start(t, inNS(peerNS, append([]string{program()}, quick(dir, "--dut", "external",
		"--set", "external.n3_interface=n3", "--set", "external.n6_interface=n6",
		"--set", "external.pid="+strconv.Itoa(pid), "--set", "duration=3s")...)...))
	run.says("[1/4]")
	time.Sleep(time.Second) // now the second trial runs
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	run.finishes(1)
	run.mustSay("FAILED", "which external.pid names, is gone", "dut_ended")
	d := load(t, dir).DUTs[0]
	if d.Status != record.StatusFailed || len(d.Trials) != 2 || !slices.Contains(d.Trials[1].Faults, record.FaultDUTEnded) {
		t.Errorf("%s after %d trials: %s", d.Status, len(d.Trials), d.Error)
	}
}

// TestExternalLinkDown: a link that is down for a part of a trial, at upflab's end or at the UPF's, is
// named, makes that trial not valid, and no ring of the UPF is blamed; the next trial is valid.
func TestExternalLinkDown(t *testing.T) {
	privileged(t)
	for _, c := range []struct{ end, engine string }{{peerNS, "xdp"}, {upfNS, "xdp"}, {peerNS, "af_packet"}} {
		t.Run(c.end+" by "+c.engine, func(t *testing.T) {
			nothingLeft(t)
			makeLab(t)
			startUPF(t, "native")
			dir := t.TempDir()
			run := start(t, inNS(peerNS, append([]string{program()}, quick(dir, "--dut", "external", "--set", "engine="+c.engine,
				"--set", "external.n3_interface=n3", "--set", "external.n6_interface=n6", "--set", "directions=uplink",
				"--set", "latency.duration=4s")...)...))
			run.says("[1/2]")
			time.Sleep(1500 * time.Millisecond) // now the second trial runs
			ip(t, "-n "+c.end+" link set n3 down")
			time.Sleep(500 * time.Millisecond)
			ip(t, "-n "+c.end+" link set n3 up")
			run.finishes(3)
			run.mustSay("link down (link_down)")
			d := load(t, dir).DUTs[0]
			hit := d.Trials[len(d.Trials)-1]
			if !slices.Contains(hit.Faults, record.FaultLinkDown) || hit.Valid || !strings.Contains(strings.Join(hit.Reasons, " "), "N3 (n3)") {
				t.Errorf("valid %v, faults %v: %q", hit.Valid, hit.Faults, hit.Reasons)
			}
			if slices.ContainsFunc(hit.Drops, func(c record.Count) bool { return c.Place == record.PlaceUPFRing }) {
				t.Errorf("a ring is blamed: %+v", hit.Drops)
			}
		})
	}
}

// TestExternalOnSockets measures a UPF that takes its packets from kernel sockets, behind links that
// let nothing through of what XDP redirects into them. The run finds that out by itself and says
// so, holds nothing against the UPF, and no packet is wrong in either direction.
func TestExternalOnSockets(t *testing.T) {
	privileged(t)
	for _, c := range []struct {
		name    string
		connect func(*testing.T, string)
		prepare func(*testing.T)
		engine  string
		why     string
	}{
		{"a plain veth", vethTo, func(*testing.T) {}, "af_packet", "frames that XDP redirects to it do not arrive at 192.168.13.151"},
		{"a bridge", bridgeTo, func(*testing.T) {}, "af_packet", "frames that XDP redirects to it do not arrive at 192.168.13.151"},
		{"a veth whose other end answers no ARP", vethTo, withoutARP, "af_packet", "of 20 uplink packets by xdp none came through the UPF"},
		{"a veth with GRO", vethTo, func(t *testing.T) {
			netnsExec(t, upfNS, "ethtool", "-K", "n3", "gro", "on")
			netnsExec(t, upfNS, "ethtool", "-K", "n6", "gro", "on")
		}, "xdp", "the fastest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			nothingLeft(t)
			makePlainLab(t, usual, c.connect)
			startDatapath(t, "kind: tun", usual)
			c.prepare(t)
			dir := t.TempDir()
			run := start(t, inNS(peerNS, append([]string{program()}, quick(dir, "--dut", "external",
				"--set", "external.n3_interface=n3", "--set", "external.n6_interface=n6", "--set", "loads=2k")...)...))
			run.finishes(0, 3)
			run.mustSay("sending and receiving by "+c.engine, c.why)
			r := load(t, dir)
			if r.Engine.Name != c.engine || !strings.Contains(r.Engine.Why, c.why) {
				t.Errorf("the engine is %+v, want %s because %q", r.Engine, c.engine, c.why)
			}
			if len(r.DUTs) != 1 || r.DUTs[0].Status != record.StatusOK {
				t.Fatalf("measured %+v", r.DUTs)
			}
			checkTrials(t, r.DUTs[0], 1)
			for _, trial := range r.DUTs[0].Trials {
				if trial.RxPackets == 0 {
					t.Errorf("%s %s: nothing arrived of %d", trial.Kind, trial.Direction, trial.TxPackets)
				}
			}
		})
	}
}

// withoutARP leaves nobody to ask for an address: all have their neighbours' already.
func withoutARP(t *testing.T) {
	t.Helper()
	macOf := func(ns, device string) string {
		out, err := inNS(ns, "cat", "/sys/class/net/"+device+"/address").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	for device, at := range map[string][2]string{"n3": usual.n3, "n6": usual.n6} {
		ip(t, "-n "+peerNS+" neigh replace "+at[1]+" lladdr "+macOf(upfNS, device)+" nud permanent dev "+device)
		ip(t, "-n "+upfNS+" link set "+device+" arp off")
		ip(t, "-n "+upfNS+" neigh replace "+at[0]+" lladdr "+macOf(peerNS, device)+" nud permanent dev "+device)
	}
}

// TestExternalNotForwarding: what is said of a UPF that does not forward was tried with packet
// sockets, too.
func TestExternalNotForwarding(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	makePlainLab(t, usual, vethTo)
	startDatapath(t, "kind: tun", usual)
	withoutARP(t)
	netnsExec(t, upfNS, "sh", "-c", "echo 0 > /proc/sys/net/ipv4/ip_forward")
	run := start(t, inNS(peerNS, append([]string{program()}, quick(t.TempDir(), "--dut", "external",
		"--set", "external.n3_interface=n3", "--set", "external.n6_interface=n6")...)...))
	run.finishes(1)
	run.mustSay("forwards no uplink packets", "by packet sockets none either", "ip -s link")
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
