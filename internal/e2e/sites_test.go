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
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	l := newFleetLab(t, "5s", []string{"hub"}, []string{"a", "b"})
	l.startHub()
	for _, host := range []string{"a", "b"} {
		upflab(t, []string{"hub", "add", host, "--dir", l.file("hub"), "--out", l.file(host + ".pass")}).finishes(0)
	}
	l.write("sites.yaml", sitesCampaign, 0o644)
	l.write("ssh", "#!/bin/sh\nexec ip netns exec "+hostPrefix+"\"${1#root@}\" sh -c \"$2\"\n", 0o755)
	t.Setenv("UPFLAB_SSH", l.file("ssh"))
	campaign := start(t, inNS(hostPrefix+"sw", program(), "campaign", "run", l.file("sites.yaml"), "--pass",
		l.file("hub/operator.pass"), "--out", l.file("results")))
	campaign.finishes(0, 3)
	t.Log(campaign.said())
	if found, _ := filepath.Glob(l.file("results/sites/*/result.json")); len(found) != 2 {
		t.Errorf("there are %d results: %v", len(found), found)
	}
	for _, host := range []string{"a", "b"} {
		if !strings.Contains(campaign.said(), "root@"+host+": ") {
			t.Errorf("nothing is told of host %s:\n%s", host, campaign.said())
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
