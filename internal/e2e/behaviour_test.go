package e2e

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestBehaviour: cases of each group on the reference UPF, in namespaces: enforced, or
// refused where nothing announces them.
func TestBehaviour(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	args := []string{"run", "behaviour", "--dut", "builtin:xdp", "--dut", "builtin:tun", "--out", dir}
	for _, id := range []string{"pdr.teid", "pdr.source-address", "pdr.sdf.all-components", "far.path-switch",
		"far.end-marker", "far.buffer", "qer.gate",
		"urr.volume", "fteid.choose", "session.delete", "n4.association", "gtpu.echo", "ip.fragment"} {
		args = append(args, "--case", id)
	}
	c := upflab(t, args)
	c.finishes(0)
	r := load(t, dir)
	if len(r.DUTs) != 2 || !r.Complete {
		t.Fatalf("%d DUTs, complete %v", len(r.DUTs), r.Complete)
	}
	for _, d := range r.DUTs {
		if len(d.Cases) < 20 || len(d.Features) == 0 {
			t.Errorf("%s: %d cases, features %v, error %q", d.Name, len(d.Cases), d.Features, d.Error)
		}
		for _, row := range d.Cases {
			if row.Verdict != record.VerdictEnforced {
				t.Errorf("%s:%s %s is %s: %s: %s", d.Name, d.Mode, row.ID, row.Verdict, row.Expected, row.Observed)
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "junit.xml"))
	if err != nil || xml.Unmarshal(data, new(struct{})) != nil {
		t.Errorf("junit.xml: %v, %d octets", err, len(data))
	}
}

// TestBehaviourTakesTheFlagsOfARun: two builds of a UPF, figures and a page while the run goes,
// other formats and thresholds, as every scenario has them.
func TestBehaviourTakesTheFlagsOfARun(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	c := upflab(t, []string{"run", "behaviour", "--dut", "builtin:xdp", "--build", "old=" + program(), "--build",
		"new=" + program(), "--out", dir, "--case", "far.drop.uplink",
		"--metrics", "127.0.0.1:0", "--live", "--strict", "--output", "csv", "--set", "thresholds=behaviour.findings == 0"})
	c.finishes(0)
	c.says("metrics: http://127.0.0.1:")
	c.says("watch it at http://")
	r := load(t, dir)
	if len(r.DUTs) != 2 || r.DUTs[0].Name != "builtin@old" || r.DUTs[1].Name != "builtin@new" ||
		len(r.DUTs[0].Cases) != 1 || len(r.DUTs[1].Cases) != 1 {
		t.Fatalf("%+v", r.DUTs)
	}
	if len(r.Thresholds) != 2 || r.Thresholds[0].Outcome != record.OutcomePass || r.Thresholds[1].Outcome != record.OutcomePass {
		t.Errorf("thresholds %+v", r.Thresholds)
	}
	if r.Order == nil || !r.Host.IdlePolls && len(r.Notes) == 0 {
		t.Errorf("the host was not claimed as for other runs: %+v, %+v", r.Order, r.Host)
	}
	events, err := os.ReadFile(filepath.Join(dir, "live.jsonl"))
	if err != nil || strings.Count(string(events), `"kind":"end"`) != 2 || !strings.Contains(string(events), `"trial":"far.drop.uplink"`) {
		t.Errorf("what the page shows: %v\n%s", err, events)
	}
	if _, err := os.Stat(filepath.Join(dir, "figures.csv")); err != nil {
		t.Error(err)
	}
}

// TestBehaviourOfAUPFElsewhere: a UPF that upflab did not start has no finding, whatever addresses
// its owner has: README's, in which gNB and UPF are neighbours, subnets without room for another
// gNB or host, and small ones of which the last addresses are used, in networks for benchmarks and
// documentation. What needs one does not apply then.
func TestBehaviourOfAUPFElsewhere(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	for _, c := range []struct {
		name string
		subnets
		enforced int // at least
	}{
		{"README", subnets{24, [2]string{"10.100.3.1", "10.100.3.2"}, [2]string{"10.100.4.1", "10.100.4.2"},
			[2]string{"10.100.6.1", "10.100.6.2"}}, 100},
		{"no room", subnets{30, [2]string{"10.100.3.2", "10.100.3.1"}, [2]string{"10.100.4.1", "10.100.4.2"},
			[2]string{"10.100.6.1", "10.100.6.2"}}, 50},
		{"last addresses", subnets{29, [2]string{"198.18.0.6", "198.18.0.5"},
			[2]string{"172.31.255.254", "172.31.255.253"}, [2]string{"203.0.113.1", "203.0.113.6"}}, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			makeLabAt(t, c.subnets)
			startUPFAt(t, "native", c.subnets)
			dir := filepath.Join(t.TempDir(), "result")
			args := []string{program(), "run", "behaviour", "--dut", "external", "--out", dir, "--set",
				"external.n3_interface=n3", "--set", "external.n6_interface=n6"}
			for _, id := range []string{"pdr", "far", "gtpu", "qer.gate", "qer.qfi", "fteid", "session", "urr.volume", "n4.association"} {
				args = append(args, "--case", id)
			}
			start(t, inNS(peerNS, append(args, c.sets()...)...)).finishes(0)
			enforced := 0
			for _, row := range load(t, dir).DUTs[0].Cases {
				switch {
				case row.Verdict == record.VerdictEnforced:
					enforced++
				case row.Verdict.Bad():
					t.Errorf("%s is %s: %s: %s", row.ID, row.Verdict, row.Expected, row.Observed)
				}
			}
			if enforced < c.enforced {
				t.Errorf("%d cases are enforced, want %d at least", enforced, c.enforced)
			}
		})
	}
}
