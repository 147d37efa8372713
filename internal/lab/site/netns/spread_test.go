package netns

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// receiving is how many queues each cabled port receives by, at home.
func receiving(t *testing.T, home *netdev.Namespace) (list []uint32) {
	t.Helper()
	for _, name := range cabledPorts {
		p := netdev.Port{NS: home, Name: name}
		now, _, err := p.Queues().Channels()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, now.Receiving())
	}
	return list
}

// buildQueues builds a testbed of cabled ports with two queues each.
func buildQueues(t *testing.T, home *netdev.Namespace, dir string, spread site.SpreadKind) (tb *Testbed, claim *host.Claim, err error) {
	t.Helper()
	err = home.Do(func() error {
		var err error
		if claim, err = host.NewClaimIn(dir, host.NewRunID()); err != nil {
			return err
		}
		spec := specOf(claim.Run, site.Veth)
		cabled(&spec)
		spec.Queues, spec.Spread = 2, spread
		tb, err = Build(claim, spec)
		return err
	})
	return tb, claim, err
}

// TestPhysicalQueues: ports get their queues for the run, and have as many as before when it ends, or
// is killed. A veth hashes no TEIDs, which is recorded.
func TestPhysicalQueues(t *testing.T) {
	for _, killed := range []bool{false, true} {
		home := machine(t)
		before, dir := receiving(t, home), t.TempDir()
		tb, claim, err := buildQueues(t, home, dir, site.SpreadAuto)
		if err != nil {
			t.Fatal(err)
		}
		l := tb.Links()
		for _, p := range []netdev.Port{l.GNB, l.UPFN3, l.UPFN6, l.DNN6} {
			if n, err := p.Queues().Receiving(); n != 2 || err != nil {
				t.Errorf("%s has %d queues, %v", p.HomeName, n, err)
			}
		}
		if len(l.NICs) != 4 || l.NICs[0].Device != "p1" && l.NICs[0].Device != "p0" || l.NICs[0].Queues != 2 ||
			len(l.NICs[0].TEIDHash) > 0 || !strings.Contains(l.NICs[0].Why, "rx-flow-hash gtpu4 sde") {
			t.Errorf("%+v", l.NICs)
		}
		if err := home.Do(func() error { return end(tb, claim, dir, killed) }); err != nil {
			t.Fatal(err)
		}
		if after := receiving(t, home); !slices.Equal(after, before) {
			t.Errorf("killed %v: the ports had %v queues, and have %v", killed, before, after)
		}
	}
}

// end ends a run, or what a killed one left.
func end(tb *Testbed, claim *host.Claim, dir string, killed bool) error {
	if !killed {
		defer claim.Close()
		return tb.Close()
	}
	claim.Abandon()
	for _, ns := range tb.namespaces() { // the kernel closes what a killed process had open
		if ns != nil {
			ns.Release()
		}
	}
	_, err := host.CleanStaleIn(dir)
	return err
}

// TestSpreadThatCannotBe: who insists on a hash of the TEID gets none of a veth, and its ports back.
func TestSpreadThatCannotBe(t *testing.T) {
	home := machine(t)
	before, states0 := receiving(t, home), states(t, home)
	tb, claim, err := buildQueues(t, home, t.TempDir(), site.SpreadHash)
	if tb != nil || err == nil || !strings.Contains(err.Error(), "hash the TEID of GTP-U") {
		t.Fatalf("%v, %v", tb, err)
	}
	if err := claim.Close(); err != nil {
		t.Error(err)
	}
	if after := receiving(t, home); !slices.Equal(after, before) {
		t.Errorf("the ports had %v queues, and have %v", before, after)
	}
	if after := states(t, home); !slices.Equal(after, states0) {
		t.Errorf("they came home otherwise: %s", differences(states0, after))
	}
}

// TestTooManyQueues: the error names the most that the port can have.
func TestTooManyQueues(t *testing.T) {
	home := machine(t)
	p := netdev.Port{NS: home, Name: "p0"}
	if err := p.Queues().Set(63); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("63 queues: %v", err)
	}
	if err := p.Queues().SteerTEIDs([]uint32{1}, 2); err == nil || !strings.Contains(err.Error(), "p0") {
		t.Errorf("a rule of a veth: %v", err)
	}
}
