package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour/cases"
	"github.com/upflab/upflab/internal/record"
)

// faults is the relay that commits a fault, which shares no code with upflab.
const faults = "../../tools/faults"

// relayTo connects the namespaces through two interfaces of a third, l and u, which a program has to join.
func relayTo(t *testing.T, link string) {
	t.Helper()
	if link == "n3" {
		ip(t, "netns add "+relayNS)
		t.Cleanup(func() { ip(t, "netns delete "+relayNS) })
		netnsExec(t, relayNS, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6")
	}
	for side, end := range map[string]string{"l": peerNS, "u": upfNS} {
		between := side + link[1:]
		ip(t, fmt.Sprintf("-n %s link add %s mtu 1600 type veth peer name %s mtu 1600 netns %s", end, link, between, relayNS))
		ip(t, fmt.Sprintf("-n %s link set %s up", relayNS, between))
		offloads(t, relayNS, between)
		offloads(t, end, link)
	}
}

const relayNS = "upflab-e2e-relay"

// TestFaults: a tester finds a fault of the relay by the case that the fault's row names, and nothing without one.
func TestFaults(t *testing.T) {
	takesLong(t)
	privileged(t)
	needScapy(t)
	nothingLeft(t)
	makePlainLab(t, usual, relayTo)
	startDatapath(t, "kind: tun", usual)
	for _, c := range []struct {
		fault, find string
		status      int
	}{{"tunnel.qfi", "qer.qfi", 4}, {"usage.more", "urr.volume", 4}, {"rule.path", "far.path-switch", 4}, {"", "", 0}} {
		args := []string{"python3", faults, "--n3", "l3:u3", "--n4", "l4:u4", "--n6", "l6:u6"}
		if c.fault != "" {
			args = append(args, c.fault)
		}
		relay := start(t, inNS(relayNS, args...))
		relay.until("the relay runs", func() bool { return relay.stdout.String() != "" })
		dir := filepath.Join(t.TempDir(), "result")
		run := []string{program(), "run", "behaviour", "--dut", "external", "--out", dir, "--set", "external.n3_interface=n3", "--set", "external.n6_interface=n6",
			"--case", "qer.qfi", "--case", "urr.volume", "--case", "far.path-switch"}
		start(t, inNS(peerNS, append(run, usual.sets()...)...)).finishes(c.status)
		found := map[string]record.Verdict{}
		for _, row := range load(t, dir).DUTs[0].Cases {
			if row.Verdict.Bad() {
				found[row.ID] = row.Verdict
			}
		}
		if c.find != "" && found[c.find] == "" || c.find == "" && len(found) > 0 {
			t.Errorf("with the fault %q: found %v", c.fault, found)
		}
		relay.signal(syscall.SIGTERM)
		relay.finishes(0)
	}
}

// TestFaultsAlterPackets runs what Python tests of the faults, by frames of scapy, and looks for the cases that they name.
func TestFaultsAlterPackets(t *testing.T) {
	t.Parallel()
	needScapy(t)
	if out, err := exec.Command("python3", "-B", "-m", "unittest", "discover", "-s", faults, "-p", "faults_test.py").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list, err := exec.Command("python3", "-B", faults, "--json").Output()
	var rows []struct{ Name, Case string }
	if err == nil {
		err = json.Unmarshal(list, &rows)
	}
	if err != nil || len(rows) < 80 {
		t.Fatalf("%d faults, %v", len(rows), err)
	}
	for _, r := range rows {
		if r.Case == "" {
			continue
		}
		if _, err := cases.Select([]string{r.Case}); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
}
