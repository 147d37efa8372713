package campaign

import (
	"errors"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

func TestChooseEngine(t *testing.T) {
	works := func() error { return nil }
	fails := func() error { return errors.New("operation not permitted") }
	for _, c := range []struct {
		want      scenario.Engine
		try       func() error
		name, why string
		failed    string
	}{
		{scenario.EngineAuto, works, "xdp", "the fastest", ""},
		{scenario.EngineAuto, fails, "af_packet", "operation not permitted", ""},
		{scenario.EngineXDP, works, "xdp", "the scenario asks", ""},
		{scenario.EngineXDP, fails, "", "", "engine=af_packet"},
		{scenario.EngineAFPacket, fails, "af_packet", "the scenario asks", ""},
	} {
		e, err := chooseEngine(c.want, c.try)
		if e.Name != c.name || !strings.Contains(e.Why, c.why) {
			t.Errorf("%s: %+v, want %s because %q", c.want, e, c.name, c.why)
		}
		if (err != nil) != (c.failed != "") || err != nil && !strings.Contains(err.Error(), c.failed) {
			t.Errorf("%s: error %v, want one with %q", c.want, err, c.failed)
		}
	}
}

// TestLongPayloads: packets that XDP cannot send take the other engine, or are refused.
func TestLongPayloads(t *testing.T) {
	p := &Plan{Scenario: settings(t, "quick", "payload=8000", "mtu=9000")}
	if got := p.longestPayload(); got != 8000 {
		t.Fatalf("the longest payload is %d", got)
	}
	e, err := ChooseEngine(scenario.EngineAuto, p.longestPayload())
	if err != nil || e.Name != "af_packet" || !strings.Contains(e.Why, "8000 octets are too long") {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := ChooseEngine(scenario.EngineXDP, p.longestPayload()); err == nil || !strings.Contains(err.Error(), "3434") {
		t.Errorf("error %v", err)
	}
}
