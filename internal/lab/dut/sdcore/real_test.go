package sdcore

import (
	"context"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// The real UPF, where it is installed: it starts, reports its counters and its work, and
// leaves a readable log.
func TestRealOne(t *testing.T) {
	if version, err := (Driver{}).Installed(); err != nil {
		t.Skip(err)
	} else {
		t.Log(version)
	}
	tb := sitetest.Build(t)
	env := dut.Env{Mode: afPacket, Site: tb, CPUs: []int{0}, Dir: t.TempDir(), Scenario: &scenario.Scenario{
		Packets:      scenario.Packets{Sessions: 1},
		SessionRules: scenario.SessionRules{UE: scenario.UE{First: netip.MustParseAddr("10.45.0.2")}},
		Network: scenario.Network{
			N3: scenario.N3{UPF: tb.Links().UPFN3.Addr},
			N4: scenario.N4{UPF: tb.Links().UPFN4.Addr, NetworkInstance: "internet"},
		},
	}}
	i, err := Driver{}.Start(context.Background(), env)
	if err != nil {
		t.Fatal(err)
	}
	places := map[record.Place]bool{}
	drops, err := i.Drops()
	for _, d := range drops {
		places[d.Place] = true
	}
	for _, want := range []record.Place{"BESS: pdrLookupFail", "BESS: accessbad_route", "BESS: core receive ring full"} {
		if !places[want] {
			t.Errorf("no place %q in %v, %v", want, drops, err)
		}
	}
	// How much of it is useful depends on what else runs on the CPU: see the page.
	if w, err := i.Work(); err != nil || w.Total <= 0 || w.Busy > w.Total {
		t.Errorf("its work is %+v, %v", w, err)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	for _, file := range i.Files() {
		text, err := os.ReadFile(file)
		if err != nil || len(text) > 1<<20 || strings.Contains(string(text), "\nSegment ") {
			t.Errorf("%s: %d octets, %v", file, len(text), err)
		}
	}
}
