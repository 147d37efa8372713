package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var partitions = flag.Bool("partition", false, "run TestPartition, which cuts links for 30 s")

// partitioned is a campaign of one job that takes longer than the partition.
const partitioned = `campaign: faults
scenario: quick
testbeds: [a, b]
set: [loads=2k, directions=uplink, duration=45s, warmup=100ms, latency.rate=1k, latency.duration=500ms, settle=300ms, disturbed=keep, attempts=1]
matrix:
  dut: [builtin:xdp]
`

// TestPartition cuts the link between the hub and a host that measures for 30 s, by taking it down.
func TestPartition(t *testing.T) { // not at the same time as others: it watches agents and processes
	if !*partitions {
		t.Skip("-partition runs it")
	}
	privileged(t)
	t.Run("longer than a lease", func(t *testing.T) {
		nothingLeft(t)
		l := makeHostsWith(t, "10s")
		first, other := l.partition()
		ended := l.heard(first, "was given up: the hub was not reached for as long as a lease lasts")
		began := l.heard(other, "begin ")
		t.Logf("agent %s gave the job up at %s, agent %s began it at %s", first, ended, other, began)
		if ended == "" || began < ended {
			t.Errorf("the run on the host that was cut off ended at %q, the other began at %q", ended, began)
		}
	})
	t.Run("shorter than a lease", func(t *testing.T) {
		nothingLeft(t)
		l := makeHostsWith(t, "60s")
		first, other := l.partition()
		for _, host := range []string{first, other} {
			if at := l.heard(host, "was given up"); at != "" {
				t.Errorf("agent %s gave the job up at %s", host, at)
			}
		}
		if at := l.heard(other, "begin "); at != "" {
			t.Errorf("agent %s began the job, too, at %s", other, at)
		}
	})
}

// partition has one job measured, and the host that measures it cut off for 30 s. It gives that
// host, and the other that could measure it.
func (l *fleetLab) partition() (first, other string) {
	l.t.Helper()
	if err := os.WriteFile(l.file("faults.yaml"), []byte(partitioned), 0o644); err != nil {
		l.t.Fatal(err)
	}
	campaign := start(l.t, inNS(hostPrefix+"sw", program(), "campaign", "run", l.file("faults.yaml"), "--pass",
		l.file("hub/operator.pass"), "--out", l.file("results")))
	campaign.until("a job begins", func() bool { return l.heard("a", "begin ")+l.heard("b", "begin ") != "" })
	first, other = "a", "b"
	if l.heard("a", "begin ") == "" {
		first, other = "b", "a"
	}
	l.inTrial(first)
	l.cut(first, 30*time.Second)
	campaign.finishes(0, 3)
	l.t.Logf("%s\nagent a:\n%sagent b:\n%s", campaign.said(), l.agents["a"].stdout.String(), l.agents["b"].stdout.String())
	folders, _ := filepath.Glob(l.file("results/faults/*"))
	if len(folders) != 1 || len(l.results()) != 1 {
		l.t.Errorf("%d results in %d folders, want one", len(l.results()), len(folders))
	}
	return first, other
}

// heard is the time of day at which an agent said something first; "": it did not.
func (l *fleetLab) heard(host, text string) string {
	for line := range strings.Lines(l.agents[host].stdout.String()) {
		if at, said, _ := strings.Cut(line, " "); strings.Contains(said, text) {
			return at
		}
	}
	return ""
}
