package bench

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
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
		return (&SMF{bench: &Bench{Config: Config{Scenario: &scenario.Scenario{SessionRules: scenario.SessionRules{Rules: r}}},
			Endpoint: dut.Endpoint{Dialect: d}}}).dialect()
	}
	if got := of(smf.UPGVPP(), scenario.Rules{MBR: 5000, URR: true}); !got.QER || got.MBR != 5000 || !got.URR {
		t.Errorf("the dialect is %+v", got)
	}
	if got := of(smf.UP4(), scenario.Rules{}); got.MBR != smf.UP4().MBR || got.URR {
		t.Errorf("without rules the dialect is %+v", got)
	}
}

func TestRefused(t *testing.T) {
	session := &smf.Session{Index: 4096, UE: netip.MustParseAddr("10.45.16.2")}
	rejected := &smf.RejectedError{Peer: "192.0.2.1:8805", Message: "Session Establishment Request", Cause: 75, Session: session}
	for _, c := range []struct {
		why      string
		err      error
		accepted int
		words    []string
		not      string
	}{
		{"the UPF is full", rejected, 4096,
			[]string{"session 4096", "cause 75", "No resources available", "taken 4096 of 5000", "sessions=4096"}, ""},
		{"it refuses the first", rejected, 0, []string{"cause 75"}, "sessions="},
		{"something else", errors.New("no answer"), 17, []string{"no answer"}, "sessions="},
	} {
		err := refused(c.err, c.accepted, 5000)
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %q in it", c.why, err, w)
			}
		}
		if c.not != "" && strings.Contains(err.Error(), c.not) || !errors.Is(err, c.err) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}
