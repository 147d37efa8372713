package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// The hosts of a measurement over several, as namespaces: each has an agent. The links
// between them, and to the hub, are bridges in a namespace of their own.
const hostPrefix = "upflab-hosts-"

// hostsLab is held while there is one.
var hostsLab sync.Mutex

// fleetLab is a hub and its hosts.
type fleetLab struct {
	t      *testing.T
	dir    string
	lease  string
	hub    *command
	agents map[string]*command
	before map[string]string // what agents said that were restarted
}

// makeHosts makes the hosts a and b, which generate, c, which has the UPF, and d, the data
// network, with their agents.
func makeHosts(t *testing.T) *fleetLab { return makeHostsWith(t, "5s") }

// makeHostsWith is makeHosts with leases of a length.
func makeHostsWith(t *testing.T, lease string) *fleetLab {
	t.Helper()
	l := newFleetLab(t, lease, []string{"hub", "n3", "n6"}, []string{"a", "b", "c", "d"})
	for _, end := range [][2]string{{"a", "n3"}, {"b", "n3"}, {"c", "n3"}, {"c", "n6"}, {"d", "n6"}} {
		l.cable(end[0], end[1])
	}
	l.serve()
	return l
}

// newFleetLab makes bridges in a namespace, and hosts that are at the one called hub.
func newFleetLab(t *testing.T, lease string, bridges, hosts []string) *fleetLab {
	t.Helper()
	hostsLab.Lock()
	t.Cleanup(hostsLab.Unlock)
	l := &fleetLab{t: t, lease: lease, dir: t.TempDir(), agents: map[string]*command{}, before: map[string]string{}}
	l.namespace("sw")
	for _, bridge := range bridges {
		ip(t, fmt.Sprintf("-n %ssw link add %s type bridge mcast_snooping 0", hostPrefix, bridge))
		ip(t, fmt.Sprintf("-n %ssw link set %s up", hostPrefix, bridge))
	}
	ip(t, "-n "+hostPrefix+"sw address add 192.168.99.1/24 dev hub")
	for i, host := range hosts {
		l.namespace(host)
		l.cable(host, "hub")
		ip(t, fmt.Sprintf("-n %s%s address add 192.168.99.%d/24 dev hub", hostPrefix, host, 10+i))
	}
	return l
}

func (l *fleetLab) namespace(host string) {
	ip(l.t, "netns add "+hostPrefix+host)
	l.t.Cleanup(func() { ip(l.t, "netns delete "+hostPrefix+host) })
	ip(l.t, "-n "+hostPrefix+host+" link set lo up")
}

// cable joins a device of a host with a bridge of the same name.
func (l *fleetLab) cable(host, name string) {
	ip(l.t, fmt.Sprintf("-n %s%s link add %s mtu 1600 type veth peer name %s-%s mtu 1600 netns %ssw", hostPrefix,
		host, name, name, host, hostPrefix))
	ip(l.t, fmt.Sprintf("-n %ssw link set %s-%s master %s up", hostPrefix, name, host, name))
	ip(l.t, fmt.Sprintf("-n %s%s link set %s up", hostPrefix, host, name))
	if name != "hub" {
		offloads(l.t, hostPrefix+host, name)
		offloads(l.t, hostPrefix+"sw", name+"-"+host)
	}
}

// serve starts the hub and the agents.
func (l *fleetLab) serve() {
	l.startHub()
	for _, host := range []string{"a", "b", "c", "d"} {
		args := []string{"hub", "add", host, "--dir", l.file("hub"), "--out", l.file(host + ".pass")}
		if host == "c" {
			args = append(args, "--with", "a", "--with", "b", "--with", "d")
		}
		start(l.t, inNS(hostPrefix+host, append([]string{program()}, args...)...)).finishes(0)
		l.startAgent(host)
	}
	for _, host := range []string{"a", "b", "c", "d"} {
		l.agents[host].announces("serving testbed")
	}
}

func (l *fleetLab) startHub() {
	l.t.Helper()
	l.hub = start(l.t, inNS(hostPrefix+"sw", program(), "hub", "run", "--dir", l.file("hub"), "--host", "192.168.99.1", "--lease", l.lease))
	l.hub.announces("start a campaign")
}

// startAgent starts the agent of a host; what one before it said is kept.
func (l *fleetLab) startAgent(host string) {
	if a := l.agents[host]; a != nil {
		l.before[host] += a.stdout.String()
	}
	l.agents[host] = start(l.t, inNS(hostPrefix+host, program(), "agent", "--pass", l.file(host+".pass"), "--dir",
		l.file("agent-"+host), "--min-free", "0", "--allow", "device"))
}

func (l *fleetLab) file(name string) string { return filepath.Join(l.dir, name) }

// settings are those of a run over the hosts.
func (l *fleetLab) settings(more ...string) []string {
	return append([]string{"hosts.generators=a:n3@0,b:n3@0", "hosts.sink=d:n6@0", "n3.device=n3", "n6.device=n6", "loads=2k", "sessions=7",
		"duration=1s", "warmup=100ms", "latency.rate=1k", "latency.duration=500ms", "settle=300ms", "disturbed=keep",
		"attempts=1", "mtu=1600"}, more...)
}

// TestHosts measures a UPF on one host with generators on two others and a sink on a fourth,
// as a job of a campaign; then the same on one host, and compares the two.
func TestHosts(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	l := makeHosts(t)
	text := "campaign: apart\nscenario: quick\ntestbeds: [c]\nset: [" +
		strings.ReplaceAll(strings.Join(l.quoted(), ", "), "\n", "") + "]\nmatrix:\n  dut: [builtin:xdp]\n"
	if err := os.WriteFile(l.file("apart.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	start(t, inNS(hostPrefix+"sw", program(), "campaign", "run", l.file("apart.yaml"), "--pass",
		l.file("hub/operator.pass"), "--out", l.file("results"))).finishes(0, 3)
	found, err := filepath.Glob(l.file("results/apart/*/result.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%d results: %v", len(found), err)
	}
	r := load(t, filepath.Dir(found[0]))
	if len(r.Hosts) != 3 || !r.Hosts[0].Clock.Same {
		t.Errorf("hosts that took part: %+v", r.Hosts)
	}
	for _, d := range r.DUTs {
		if d.Status != record.StatusOK || len(d.Trials) != 4 {
			t.Errorf("%s: %s with %d trials: %s", d.Label(), d.Status, len(d.Trials), d.Error)
		}
		for _, trial := range d.Trials {
			checkShares(t, d.Label(), trial)
		}
	}
	upflab(t, []string{"verify", filepath.Dir(found[0])}).finishes(0) // what hosts counted comes to the same figures again
	l.compared(filepath.Dir(found[0]), r)
}

// compared measures the same scenario on one host, and wants `upflab compare` to show both.
func (l *fleetLab) compared(apart string, r *record.Result) {
	l.t.Helper()
	one := l.file("one")
	args := []string{"run", "quick", "--out", one, "--dut", "builtin:xdp"}
	for _, s := range l.settings() {
		if !strings.HasPrefix(s, "hosts.") && !strings.Contains(s, ".device=") {
			args = append(args, "--set", s)
		}
	}
	upflab(l.t, args).finishes(0, 3)
	comparison := upflab(l.t, []string{"compare", one, apart, "--raw"})
	comparison.finishes(0, 4)
	text := comparison.stdout.String()
	l.t.Log(text)
	for _, want := range []string{"builtin:xdp", "latency", "hosts.generators: A (none), B a:n3@0"} {
		if !strings.Contains(text, want) {
			l.t.Errorf("the comparison does not say %q", want)
		}
	}
	alone := load(l.t, one)
	for i, d := range r.DUTs {
		for k, trial := range d.Trials {
			same := alone.DUTs[i].Trials[k]
			if trial.Valid && same.Valid && (trial.LimitedBy != same.LimitedBy || trial.Key() != same.Key()) {
				l.t.Errorf("%s %v: limited by %s over several hosts, on one %v by %s", d.Label(), trial.Key(),
					trial.LimitedBy, same.Key(), same.LimitedBy)
			}
			l.t.Logf("%s %v: %d of %d over several hosts, valid %v, by %s, start skew %d ns; on one %d of %d, "+
				"valid %v, by %s", d.Label(), trial.Key(),
				trial.RxPackets, trial.TxPackets, trial.Valid, trial.LimitedBy, trial.StartSkewNS, same.RxPackets,
				same.TxPackets, same.Valid, same.LimitedBy)
		}
	}
}

func (l *fleetLab) quoted() (list []string) {
	for _, s := range l.settings() {
		list = append(list, fmt.Sprintf("%q", s))
	}
	return list
}

// checkShares wants what each host counted to add up, and the sessions dealt to both
// generators.
func checkShares(t *testing.T, dut string, trial record.Trial) {
	t.Helper()
	what := fmt.Sprintf("%s %s %s", dut, trial.Kind, trial.Direction)
	var tx, rx uint64
	for _, h := range trial.Hosts {
		tx, rx = tx+h.TxPackets, rx+h.RxPackets
	}
	t.Logf("%s: %d of %d, hosts %+v, limited by %s, valid %v %v", what, trial.RxPackets, trial.TxPackets, trial.Hosts,
		trial.LimitedBy, trial.Valid, trial.Reasons)
	if tx != trial.TxPackets || rx != trial.RxPackets || trial.Intended == 0 {
		t.Errorf("%s: sent %d of %d and received %d, the hosts %d and %d", what, trial.TxPackets, trial.Intended, trial.RxPackets, tx, rx)
	}
	if trial.Wrong > 0 || trial.Duplicates > 0 || trial.Reordered > 0 || trial.RxPackets < trial.TxPackets*9/10 {
		t.Errorf("%s: %d of %d packets, %d wrong (%v), %d twice, %d out of order", what, trial.RxPackets,
			trial.TxPackets, trial.Wrong, trial.WrongWhy, trial.Duplicates, trial.Reordered)
	}
	if len(trial.Hosts) != 3 {
		t.Fatalf("%s: shares of %d hosts", what, len(trial.Hosts))
	}
	if a, b := trial.Hosts[0], trial.Hosts[1]; trial.Direction == record.Uplink &&
		(a.TxPackets == 0 || b.TxPackets == 0 || a.TxPackets+b.TxPackets != tx) {
		t.Errorf("%s: host a sent %d packets, b %d", what, a.TxPackets, b.TxPackets)
	}
	if d := trial.Hosts[2]; trial.Direction == record.Uplink && d.RxPackets != rx || trial.Direction == record.Downlink && d.TxPackets != tx {
		t.Errorf("%s: host d sent %d packets and received %d", what, d.TxPackets, d.RxPackets)
	}
	if trial.Latency == nil || trial.Latency.Count != trial.RxPackets+trial.Latency.Skipped {
		t.Errorf("%s: no latency of each packet: %+v", what, trial.Latency)
	}
}

// TestHostLost kills a host's agent in the middle of a trial.
func TestHostLost(t *testing.T) { // not beside others: it waits for times of its own
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	l := makeHosts(t)
	out := l.file("lost")
	args := []string{program(), "run", "quick", "--out", out, "--pass", l.file("c.pass"), "--dut", "builtin:xdp"}
	for _, s := range l.settings("duration=1m", "directions=uplink") {
		args = append(args, "--set", s)
	}
	run := start(t, inNS(hostPrefix+"c", args...))
	run.until("a trial", func() bool {
		text, _ := os.ReadFile(filepath.Join(out, "live.jsonl"))
		return strings.Contains(string(text), `"kind":"point"`)
	})
	if err := l.agents["b"].cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	run.finishes(1)
	r := load(t, out)
	if len(r.DUTs[0].Trials) == 0 {
		t.Fatalf("no trial was kept; the run said:\n%s", run.said())
	}
	last := r.DUTs[0].Trials[len(r.DUTs[0].Trials)-1]
	if last.Valid || len(last.Faults) != 1 || last.Faults[0] != record.FaultHost || !strings.Contains(last.Reasons[0], "host b was lost") {
		t.Errorf("the trial: valid %v, %v, %v", last.Valid, last.Faults, last.Reasons)
	}
	for _, host := range []string{"a", "d"} {
		l.agents[host].announces("has ended")
	}
}
