package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// conformance is the suite of checks by scapy, which shares no code with upflab.
const conformance = "../../tools/conformance"

// knownDifferences are the checks that a datapath of the reference UPF does not pass, and why. One that passes
// must leave the list.
var knownDifferences = map[string]map[string]string{"xdp": nil, "afpacket": nil, "tun": nil, "tap": nil}

// TestConformance runs the suite against `upflab upf` by its addresses, with each datapath.
func TestConformance(t *testing.T) {
	t.Parallel()
	privileged(t)
	needScapy(t)
	nothingLeft(t)
	for kind, known := range knownDifferences {
		t.Run(kind, func(t *testing.T) {
			if kind != "xdp" {
				takesLong(t)
			}
			t.Parallel()
			checkConformance(t, kind, known)
		})
	}
}

// TestConformanceSuite runs what Python tests of the suite itself: exit statuses, rows that are kept, messages
// that cannot be read, and the bound of a rate.
func TestConformanceSuite(t *testing.T) {
	t.Parallel()
	needScapy(t)
	out, err := exec.Command("python3", "-m", "unittest", "discover", "-s", conformance, "-p", "suite_test.py").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func checkConformance(t *testing.T, kind string, known map[string]string) {
	t.Helper()
	known = maps.Clone(known)
	upfNS, peerNS := "upflab-e2e-"+kind+"-upf", "upflab-e2e-"+kind+"-peer"
	conformanceLab(t, upfNS, peerNS)
	upf := conformanceUPF(t, upfNS, kind)
	results := filepath.Join(t.TempDir(), "results.json")
	suite := start(t, inNS(peerNS, "python3", conformance, "--n4", "10.100.4.2", "--smf", "10.100.4.1", "--smf2", "10.100.4.3",
		"--n3", "10.100.3.2", "--gnb", "10.100.3.1", "--gnb2", "10.100.3.9", "--n3-interface", "n3", "--n3-6", "2001:db8:3::2",
		"--gnb6", "2001:db8:3::1",
		"--n6", "10.100.6.2", "--dn", "10.100.6.1", "--n6-interface", "n6", "--dn6", "2001:db8:6::1",
		"--ue-pool", "10.45.0.0/16", "--ue-pool6", "2001:db8:45::/48", "--predefined", "blocked", "--patience", "5", "--json", results))
	if status := suite.status(8 * time.Minute); status != 0 && status != 1 {
		t.Fatalf("the suite ended with status %d\n%s\nUPF:\n%s", status, suite.said(), upf.said())
	}
	for _, c := range readConformance(t, results) {
		reason, listed := known[c.Name]
		switch {
		case c.Result == "pass" && listed:
			t.Errorf("%s passes: it is no difference any more (%s)", c.Name, reason)
		case c.Result != "pass" && !listed:
			t.Errorf("%s: %s: %s (%s): %s", c.Result, c.Name, c.Title, c.Clause, c.Came)
		}
		delete(known, c.Name)
	}
	for name := range known {
		t.Errorf("%s is no check of the suite", name)
	}
	upf.signal(syscall.SIGTERM)
	if got := upf.status(10 * time.Second); got != 0 {
		t.Errorf("the UPF ends with status %d after SIGTERM\n%s", got, upf.said())
	}
}

// conformanceLab makes two namespaces with N3, N4 and N6 between them, IPv4 and IPv6. The tester's end of N6
// takes packets that do not fit N3.
func conformanceLab(t *testing.T, upfNS, peerNS string) {
	t.Helper()
	for _, ns := range []string{upfNS, peerNS} {
		ip(t, "netns add "+ns)
		t.Cleanup(func() { ip(t, "netns delete "+ns) })
		ip(t, "-n "+ns+" link set lo up")
	}
	for _, key := range []string{"ipv4/ip_forward", "ipv6/conf/all/forwarding"} {
		netnsExec(t, upfNS, "sh", "-c", "echo 1 > /proc/sys/net/"+key)
	}
	for _, n := range []string{"3", "4", "6"} {
		ip(t, fmt.Sprintf("-n %s link add n%s type veth peer name n%s netns %s", peerNS, n, n, upfNS))
		ip(t, fmt.Sprintf("-n %s address add 10.100.%s.1/24 dev n%s", peerNS, n, n))
		ip(t, fmt.Sprintf("-n %s address add 10.100.%s.2/24 dev n%s", upfNS, n, n))
		ip(t, fmt.Sprintf("-n %s address add 2001:db8:%s::2/64 dev n%s nodad", upfNS, n, n))
		for _, ns := range []string{upfNS, peerNS} {
			if mtu := map[string]string{"3": "1600", "6": "1700"}[n]; mtu != "" {
				ip(t, "-n "+ns+" link set n"+n+" mtu "+mtu)
			}
			ip(t, "-n "+ns+" link set n"+n+" up")
			offloads(t, ns, "n"+n)
		}
	}
	ip(t, "-n "+peerNS+" address add 10.100.4.3/24 dev n4")
	ip(t, "-n "+upfNS+" route add default via 10.100.6.1")
	ip(t, "-n "+upfNS+" -6 route add 2001:db8:99::/64 via 2001:db8:6::1")
}

func conformanceUPF(t *testing.T, ns, kind string) *command {
	t.Helper()
	file := filepath.Join(t.TempDir(), "upf.yaml")
	text := `n4: {address: 10.100.4.2, smfs: [10.100.4.0/24], sets: [{id: set.example.org, smfs: [10.100.4.0/24]}]}
n3: {interface: n3, address: 10.100.3.2, address6: "2001:db8:3::2"}
n6: {interface: n6}
ue_pool: [10.45.0.0/16, "2001:db8:45::/48"]
predefined_rules: [{name: blocked, action: drop, filters: ["permit out ip from 203.0.113.20 to assigned"]}]
datapath: {kind: ` + kind + "}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	upf := start(t, inNS(ns, program(), "upf", "--config", file))
	upf.says("ready")
	return upf
}

// conformanceCheck is a row of the suite's JSON.
type conformanceCheck struct{ Name, Clause, Title, Result, Came string }

func readConformance(t *testing.T, file string) []conformanceCheck {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var results struct {
		Schema string
		Checks []conformanceCheck
	}
	if err := json.Unmarshal(text, &results); err != nil || results.Schema != "upflab.conformance/v1" {
		t.Fatalf("%s: schema %q, %v", file, results.Schema, err)
	}
	for _, page := range []string{"../../docs/conformance.md", "../../README.md"} {
		text, err := os.ReadFile(page)
		if want := fmt.Sprintf("%d checks", len(results.Checks)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not say %q, which the suite has (%v)", page, want, err)
		}
	}
	return results.Checks
}
