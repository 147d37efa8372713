package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sitesCampaign = `campaign: sites
scenario: quick
set: [loads=2k, duration=300ms, warmup=100ms, latency.rate=1k, latency.duration=200ms, settle=200ms, disturbed=keep, attempts=1]
matrix:
  dut: [builtin:xdp]
  payload: [64, 1400]
sites:
  - {ssh: root@a, pass: a.pass}
  - {ssh: root@b, pass: b.pass}
`

// TestCampaignSites: a campaign that takes upflab to two hosts itself, and away again. A script
// that enters a host's namespace takes the place of ssh.
func TestCampaignSites(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	hostsLab.Lock()
	t.Cleanup(hostsLab.Unlock)
	l := &fleetLab{t: t, lease: "5s", dir: t.TempDir()}
	l.namespace("sw")
	ip(t, "-n "+hostPrefix+"sw link add hub type bridge mcast_snooping 0")
	ip(t, "-n "+hostPrefix+"sw link set hub up")
	ip(t, "-n "+hostPrefix+"sw address add 192.168.99.1/24 dev hub")
	l.startHub()
	for host, address := range map[string]string{"a": "192.168.99.10/24", "b": "192.168.99.11/24"} {
		l.namespace(host)
		l.cable(host, "hub")
		ip(t, "-n "+hostPrefix+host+" address add "+address+" dev hub")
		upflab(t, []string{"hub", "add", host, "--dir", l.file("hub"), "--out", l.file(host + ".pass")}).finishes(0)
	}
	l.write("sites.yaml", sitesCampaign, 0o644)
	l.write("ssh", "#!/bin/sh\nexec ip netns exec "+hostPrefix+"\"${1#root@}\" sh -c \"$2\"\n", 0o755)
	t.Setenv("UPFLAB_SSH", l.file("ssh"))
	desk := start(t, inNS(hostPrefix+"sw", program(), "campaign", "run", l.file("sites.yaml"), "--pass", l.file("hub/operator.pass"), "--out", l.file("results")))
	desk.finishes(0, 3)
	t.Log(desk.said())
	if found, _ := filepath.Glob(l.file("results/sites/*/result.json")); len(found) != 2 {
		t.Errorf("there are %d results: %v", len(found), found)
	}
	for _, host := range []string{"a", "b"} {
		if !strings.Contains(desk.said(), "root@"+host+": ") {
			t.Errorf("nothing is told of host %s:\n%s", host, desk.said())
		}
	}
	l.nothingCopied()
}

// nothingCopied wants no pass of the hosts where agents brought by ssh have theirs.
func (l *fleetLab) nothingCopied() {
	l.t.Helper()
	passes, err := filepath.Glob("/tmp/upflab-agent-*/agent.pass")
	if err != nil {
		l.t.Fatal(err)
	}
	for _, path := range passes {
		pass, _ := os.ReadFile(path)
		for _, host := range []string{"a", "b"} {
			if ours, _ := os.ReadFile(l.file(host + ".pass")); len(pass) > 0 && string(pass) == string(ours) {
				l.t.Errorf("%s was left behind", path)
			}
		}
	}
}

func (l *fleetLab) write(name, text string, mode os.FileMode) {
	l.t.Helper()
	if err := os.WriteFile(l.file(name), []byte(text), mode); err != nil {
		l.t.Fatal(err)
	}
}
