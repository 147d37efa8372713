package trial

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

func TestN4FindingsOfVisitsAreAdded(t *testing.T) {
	first := []record.N4Finding{{Code: smf.FindingDoubled, Count: 2, Example: "a"}}
	second := []record.N4Finding{{Code: smf.FindingRestarted, Count: 1, Example: "b"}, {Code: smf.FindingDoubled, Count: 3, Example: "c"}}
	sum := record.AddN4(record.AddN4(nil, first), second)
	want := []record.N4Finding{{Code: smf.FindingDoubled, Count: 5, Example: "a"}, {Code: smf.FindingRestarted, Count: 1, Example: "b"}}
	if !slices.Equal(sum, want) {
		t.Fatalf("%+v, want %+v", sum, want)
	}
	remarks := withN4Remark([]string{"It is old."}, first[0])
	for _, f := range sum {
		remarks = withN4Remark(remarks, f)
	}
	if len(remarks) != 3 || remarks[0] != "It is old." ||
		remarks[1] != "It answered PFCP requests more often than they were sent (TS 29.244 clause 6.4): 5 times; first: a." {
		t.Errorf("%q", remarks)
	}
}

// TestRulesOfTheScenario: what it asks of all sessions comes on top of what a UPF needs.
func TestRulesOfTheScenario(t *testing.T) {
	of := func(d smf.Dialect, r scenario.Rules) smf.Dialect {
		return (&Deployment{Config: Config{Scenario: &scenario.Scenario{SessionRules: scenario.SessionRules{Rules: r}}},
			meters: meters{Endpoint: dut.Endpoint{Dialect: d}}}).dialect()
	}
	if got := of(smf.UPGVPP(), scenario.Rules{MBR: 5000, URR: true}); !got.QER || got.MBR != 5000 || !got.URR {
		t.Errorf("the dialect is %+v", got)
	}
	if got := of(smf.UP4(), scenario.Rules{}); got.MBR != smf.UP4().MBR || got.URR {
		t.Errorf("without rules the dialect is %+v", got)
	}
}
