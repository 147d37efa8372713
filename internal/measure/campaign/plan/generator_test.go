package plan

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
)

// TestLongPayloads: packets that XDP cannot send take the other engine, or are refused.
func TestLongPayloads(t *testing.T) {
	p := &Plan{Scenario: scenariotest.Open(t, "quick", "payload=8000", "mtu=9000")}
	if got := p.longestPayload(); got != 8000 {
		t.Fatalf("the longest payload is %d", got)
	}
	e, err := p.generator()
	if err != nil || e.Name != "af_packet" || !strings.Contains(e.Why, "8000 octets are too long") {
		t.Errorf("%+v, %v", e, err)
	}
	p.Scenario.Engine = scenario.EngineXDP
	if _, err := p.generator(); err == nil || !strings.Contains(err.Error(), "3434") {
		t.Errorf("error %v", err)
	}
}
