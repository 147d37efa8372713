package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var campaignFaults = flag.Bool("campaign-faults", false, "run TestCampaignFaults, which takes minutes")

// faultyCampaign is one of 24 combinations with repeats: three UPFs, two sizes, four times.
const faultyCampaign = `campaign: faults
scenario: quick
set: [loads=2k, duration=1s, warmup=100ms, latency.rate=1k, latency.duration=500ms, settle=300ms, disturbed=keep, attempts=1]
matrix:
  dut: [builtin:xdp, builtin:tun, builtin:afpacket]
  payload: [64, 1400]
repeats: 4
`

// TestCampaignFaults: a campaign of 24 real runs over four testbeds, each a namespace with its
// agent, in which an agent and its run are killed in the middle of a trial, the hub is killed and
// restarted, a link is cut for less and another for more than a lease, and an agent is restarted.
// Each job has one result, and `upflab clean` leaves nothing.
func TestCampaignFaults(t *testing.T) { // not at the same time as others: it watches agents and processes
	if !*campaignFaults {
		t.Skip("-campaign-faults runs it")
	}
	privileged(t)
	nothingLeft(t)
	l := makeHosts(t)
	if err := os.WriteFile(l.file("faults.yaml"), []byte(faultyCampaign), 0o644); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	campaign := start(t, inNS(hostPrefix+"sw", program(), "campaign", "run", l.file("faults.yaml"), "--pass",
		l.file("hub/operator.pass"), "--out", l.file("results")))
	step := func(format string, args ...any) {
		t.Helper()
		t.Logf("%5.1f s, %d results: %s", time.Since(began).Seconds(), len(l.results()), fmt.Sprintf(format, args...))
	}
	l.inTrial("a")
	l.killWithRun("a")
	step("agent a and its run were killed in a trial")
	l.inTrial("b")
	l.restartHub()
	step("the hub was killed and restarted")
	l.inTrial("b")
	l.cut("b", 2*time.Second)
	step("b was cut off for 2 s")
	l.inTrial("d")
	l.cut("d", 12*time.Second)
	step("d was cut off for 12 s")
	l.inTrial("c")
	l.agents["c"].signal(syscall.SIGTERM)
	l.agents["c"].finishes(0)
	l.startAgent("c")
	step("agent c was restarted")
	campaign.finishes(0, 3)
	step("the campaign is over")
	t.Log(campaign.said())
	l.checkFaults()
}

// results are the folders of results.
func (l *fleetLab) results() []string {
	list, _ := filepath.Glob(l.file("results/faults/*/result.json"))
	return list
}

// inTrial waits until a run on a host has a trial under way.
func (l *fleetLab) inTrial(host string) {
	l.t.Helper()
	l.agents[host].until("a trial", func() bool {
		found, _ := filepath.Glob(l.file("agent-" + host + "/" + host + "/*/result/live.jsonl"))
		for _, f := range found {
			text, _ := os.ReadFile(f)
			if strings.Contains(string(text), `"kind":"point"`) {
				return true
			}
		}
		return false
	})
}

// killWithRun ends an agent and what it runs, as the end of a host does.
func (l *fleetLab) killWithRun(host string) {
	l.t.Helper()
	agent := l.agents[host].cmd.Process.Pid
	run := 0
	for _, pid := range processes() {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, after, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(after); len(f) > 1 && f[1] == strconv.Itoa(agent) {
			run = pid
		}
	}
	if run == 0 {
		l.t.Fatalf("agent %s has no run", host)
	}
	for _, pid := range []int{run, agent} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			l.t.Fatal(err)
		}
	}
}

// restartHub kills the hub, and starts it a second later.
func (l *fleetLab) restartHub() {
	l.t.Helper()
	l.hub.signal(syscall.SIGKILL)
	<-l.hub.ended
	time.Sleep(time.Second)
	l.startHub()
}

// cut takes a host's link to the hub down for a time.
func (l *fleetLab) cut(host string, length time.Duration) {
	l.t.Helper()
	ip(l.t, fmt.Sprintf("-n %ssw link set hub-%s down", hostPrefix, host))
	time.Sleep(length)
	ip(l.t, fmt.Sprintf("-n %ssw link set hub-%s up", hostPrefix, host))
}

// checkFaults wants one result of each job, and nothing left after `upflab clean`.
func (l *fleetLab) checkFaults() {
	l.t.Helper()
	begun, gaveUp := map[string]int{}, 0
	for host, a := range l.agents {
		for line := range strings.Lines(l.before[host] + a.stdout.String()) {
			if _, job, ok := strings.Cut(strings.TrimSpace(line), " begin "); ok {
				begun[job]++
			}
			if strings.Contains(line, "was given up") {
				gaveUp++
				l.t.Logf("%s: %s", host, line)
			}
		}
	}
	again := 0
	for _, n := range begun {
		again += n - 1
	}
	folders, _ := filepath.Glob(l.file("results/faults/*"))
	if len(l.results()) != 24 || len(folders) != 24 || len(begun) != 24 {
		l.t.Errorf("%d results in %d folders of %d jobs that were begun, want 24 of each", len(l.results()), len(folders), len(begun))
	}
	l.t.Logf("24 jobs were begun %d times; agents gave up %d", 24+again, gaveUp)
	for _, host := range []string{"b", "c", "d"} {
		l.agents[host].signal(syscall.SIGTERM)
		l.agents[host].finishes(0)
	}
	clean := upflab(l.t, []string{"clean"})
	clean.finishes(0)
	l.t.Log(clean.said())
	l.hub.signal(syscall.SIGTERM)
	l.hub.finishes(0)
	for _, left := range append(leftFiles(), leftProcesses()...) {
		if !strings.HasPrefix(left, "/run/netns/"+hostPrefix) {
			l.t.Errorf("left after upflab clean: %s", left)
		}
	}
}
