package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

func TestChoose(t *testing.T) {
	works := func() error { return nil }
	fails := func() error { return errors.New("operation not permitted") }
	free := func() portsXDP { return portsXDP{} }
	zero := func() portsXDP { return portsXDP{refuses: "eth2"} }
	copies := func() portsXDP { return portsXDP{refuses: "eth2", copies: "eth4"} }
	lost := func() error { return fmt.Errorf("n3: %w at 192.0.2.1", xdp.ErrUnreached) }
	for _, c := range []struct {
		want      scenario.Engine
		try       trials
		name, why string
		failed    string
	}{
		{scenario.EngineAuto, trials{works, fails, free, works}, "xdp", "the fastest", ""},
		{scenario.EngineAuto, trials{fails, works, zero, works}, "af_packet", "operation not permitted", ""},
		{scenario.EngineAuto, trials{works, works, zero, works}, "af_xdp", "cannot be redirected to eth2, but it has zero copy", ""},
		{scenario.EngineAuto, trials{works, works, copies, works}, "af_packet", "eth4 has no zero copy", ""},
		{scenario.EngineAuto, trials{works, fails, zero, works}, "af_packet", "AF_XDP does not work here: operation not permitted", ""},
		{scenario.EngineAuto, trials{works, works, free, lost}, "af_packet", "redirects to it do not arrive at 192.0.2.1; the other end of a veth lets them through with GRO on", ""},
		{scenario.EngineAuto, trials{works, works, free, fails}, "af_packet", "operation not permitted", ""},
		{scenario.EngineXDP, trials{works, works, free, lost}, "", "", "do not arrive at 192.0.2.1"},
		{scenario.EngineAFPacket, trials{works, works, free, lost}, "af_packet", "the scenario asks", ""},
		{scenario.EngineXDP, trials{works, fails, zero, works}, "xdp", "the scenario asks", ""},
		{scenario.EngineXDP, trials{fails, works, free, works}, "", "", "engine=af_packet"},
		{scenario.EngineAFXDP, trials{fails, works, copies, works}, "af_xdp", "the scenario asks", ""},
		{scenario.EngineAFXDP, trials{works, fails, zero, works}, "", "", "the engine af_xdp does not work here"},
		{scenario.EngineAFPacket, trials{fails, fails, copies, works}, "af_packet", "the scenario asks", ""},
		{"none", trials{works, works, free, works}, "", "", `engine "none"`},
	} {
		e, err := choose(c.want, c.try)
		if e.Name != c.name || !strings.Contains(e.Why, c.why) {
			t.Errorf("%s: %+v, want %s because %q", c.want, e, c.name, c.why)
		}
		if (err != nil) != (c.failed != "") || err != nil && !strings.Contains(err.Error(), c.failed) {
			t.Errorf("%s: error %v, want one with %q", c.want, err, c.failed)
		}
	}
}

// TestTesterPorts: the devices that the tester sends by, of all kinds of link.
func TestTesterPorts(t *testing.T) {
	s := scenariotest.Open(t, "quick", "link=physical", "n3.device=p0", "n3.tester_device=p1", "n6.device=p2", "n6.tester_device=p3")
	if got := testerPorts(s); !slices.Equal(got, []string{"p1", "p3"}) {
		t.Errorf("physical links: %v", got)
	}
	if got := testerPorts(scenariotest.Open(t, "quick")); len(got) != 0 {
		t.Errorf("veth links: %v", got)
	}
	if p := lookAtPorts([]string{"upflab-none"}); p != (portsXDP{}) {
		t.Errorf("a port that is not there: %+v", p)
	}
}
