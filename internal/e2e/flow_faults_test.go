package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// shortFlows is a scenario file with flows of a second.
func shortFlows(t *testing.T, kinds ...string) string {
	t.Helper()
	text := "mtu: 1544\nattempts: 1\nflows:\n"
	for _, kind := range kinds {
		text += "  - {kind: " + kind + ", duration: 1s}\n"
	}
	file := filepath.Join(t.TempDir(), "short.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// throughLab measures flows through a UPF of the lab made by hand.
func throughLab(t *testing.T, kinds ...string) record.DUT {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "result")
	start(t, inNS(peerNS, program(), "run", shortFlows(t, kinds...), "--out", dir, "--dut", "external",
		"--set", "external.n3_interface=n3", "--set", "external.n6_interface=n6")).finishes(0, 3)
	r := load(t, dir)
	if len(r.DUTs) != 1 || r.DUTs[0].Status != record.StatusOK {
		t.Fatalf("%+v", r.DUTs)
	}
	return r.DUTs[0]
}

// A UPF that answers ARP and PFCP but loses packets, on one way or on both: each flow says
// where its packets ended, and the next one is measured all the same.
func TestUPFThatLosesPackets(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	needPrograms(t, "iperf3", "ping")
	nothingLeft(t)
	makeLab(t)
	netnsExec(t, upfNS, "sh", "-c", "for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 > $f; done")
	startUPF(t, "native")
	for lost, says := range map[string]string{"192.168.16.152": "passes nothing uplink",
		"192.168.13.131": "passes uplink and nothing downlink"} {
		t.Run(says, func(t *testing.T) {
			ip(t, "-n "+upfNS+" route add blackhole "+lost+"/32")
			defer ip(t, "-n "+upfNS+" route del blackhole "+lost+"/32")
			d := throughLab(t, "ping", "tcp")
			if len(d.Flows) != 2 {
				t.Fatalf("%d flows", len(d.Flows))
			}
			for _, f := range d.Flows {
				if text := strings.Join(f.Reasons, "; "); f.Valid || !strings.Contains(text, says) {
					t.Errorf("%s: valid %v, %q", f.Kind, f.Valid, text)
				}
			}
		})
	}
}

// A NAT between UPF and data network is a remark.
func TestNATInTheWay(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	needPrograms(t, "ping", "nft")
	nothingLeft(t)
	_, id := ueUp(t, "--dut", "n6")
	netnsExec(t, "upflab-"+id+"-upf", "nft",
		"add table ip nat; add chain ip nat post { type nat hook postrouting priority 100 ; }; add rule ip nat "+
			"post oifname n6-"+id+" masquerade")
	d := throughUE(t, id, "", "ping")[0]
	if text := strings.Join(d.Remarks, "; "); !strings.Contains(text, "A NAT is in the way") ||
		!strings.Contains(text, "10.45.0.2, as 192.168.16.151") {
		t.Errorf("remarks %q", text)
	}
}

// An interface that somebody removes ends the measurement of that UPF, with its name; the
// others are measured, and nothing stays behind.
func TestInterfaceThatVanishes(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	needPrograms(t, "ping")
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	run := upflab(t, []string{"run", shortFlows(t, "ping", "ping"), "--out", dir, "--dut", "builtin:xdp", "--dut", "builtin:xdp-generic"})
	run.says("builtin:xdp    ping")
	id := load(t, dir).Run
	ip(t, "-n upflab-"+id+"-upf link del n3-"+id)
	run.finishes(1)
	r := load(t, dir)
	if d := r.DUTs[2]; d.Status != record.StatusFailed || !strings.Contains(d.Error, "the interface n3-"+id+", is gone") {
		t.Errorf("%s %q", d.Status, d.Error)
	}
	if d := r.DUTs[3]; d.Status != record.StatusOK || len(d.Flows) != 2 {
		t.Errorf("the next UPF: %s %q, %d flows", d.Status, d.Error, len(d.Flows))
	}
}

// Without iperf3, or with an old one, the flows that need it say so, and pings go on.
func TestIperf3MissingOrOld(t *testing.T) {
	t.Parallel()
	privileged(t)
	needPrograms(t, "ping")
	nothingLeft(t)
	ping, err := exec.LookPath("ping")
	if err != nil {
		t.Fatal(err)
	}
	for says, script := range map[string]string{"apt install iperf3": "", "is version 3.1": "#!/bin/sh\necho iperf 3.1.3\n"} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			path := t.TempDir()
			if err := os.Symlink(ping, filepath.Join(path, "ping")); err != nil {
				t.Fatal(err)
			}
			if script != "" {
				if err := os.WriteFile(filepath.Join(path, "iperf3"), []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			dir := filepath.Join(t.TempDir(), "result")
			upflab(t, []string{"run", shortFlows(t, "tcp", "ping"), "--out", dir}, env("PATH="+path)).finishes(3)
			for _, d := range load(t, dir).DUTs {
				if len(d.Flows) != 2 || d.Flows[0].Valid || !strings.Contains(strings.Join(d.Flows[0].Reasons, ""), says) || d.Flows[1].RTT == nil {
					t.Errorf("%s: %+v", d.Name, d.Flows)
				}
			}
		})
	}
}

// An MTU that leaves the UEs too little is refused before anything is made.
func TestFlowsWithTooSmallAnMTU(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	run := upflab(t, []string{"run", "ue-throughput", "--set", "mtu=600", "--set", "payload=64", "--out",
		filepath.Join(t.TempDir(), "result")})
	run.finishes(2)
	run.mustSay("set mtu to 620 or more")
}
