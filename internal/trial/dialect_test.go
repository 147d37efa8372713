package trial

import (
	"testing"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/smf"
)

// TestRulesOfTheScenario: what it asks of all sessions comes on top of what a UPF needs.
func TestRulesOfTheScenario(t *testing.T) {
	of := func(d smf.Dialect, r scenario.Rules) smf.Dialect {
		return (&Deployment{Config: Config{Scenario: &scenario.Scenario{Rules: r}}, Endpoint: dut.Endpoint{Dialect: d}}).dialect()
	}
	if got := of(smf.UPGVPP(), scenario.Rules{MBR: 5000, URR: true}); !got.QER || got.MBR != 5000 || !got.URR {
		t.Errorf("the dialect is %+v", got)
	}
	if got := of(smf.UP4(), scenario.Rules{}); got.MBR != smf.UP4().MBR || got.URR {
		t.Errorf("without rules the dialect is %+v", got)
	}
}
