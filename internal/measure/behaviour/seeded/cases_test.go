package seeded

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/measure/behaviour/cases"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/record"
)

// TestSessionOfAFailedCaseIsDeleted: a case whose first answer is wrong leaves no session in the UPF, and one that has
// deleted its own asks once.
func TestSessionOfAFailedCaseIsDeleted(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func([]byte) []byte{
		"wrong": without(pfcp.SessionEstablishmentResponse, ie.NodeID),
		"right": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var deletions atomic.Int32
			b := open(t, Fault{Answer: answer, Ask: func(m []byte) []byte {
				if pfcp.MessageType(m[1]) == pfcp.SessionDeletionRequest {
					deletions.Add(1)
				}
				return m
			}})
			if row := run(t, b, "session.answer.node"); row.Verdict.Bad() != (answer != nil) {
				t.Errorf("it is %s: %s", row.Verdict, row.Observed)
			}
			if n := deletions.Load(); n != 1 {
				t.Errorf("%d sessions were deleted", n)
			}
		})
	}
}

// TestRefusalThatLacksAnIE: it ends no case before its question.
func TestRefusalThatLacksAnIE(t *testing.T) {
	t.Parallel()
	var refused atomic.Bool
	unnamed := without(0, ie.FailedRuleID)
	b := open(t, Fault{
		Answer: func(m []byte) []byte {
			if pfcp.MessageType(m[1]) == pfcp.SessionModificationResponse && cause(m) != ie.CauseRequestAccepted {
				refused.Store(true)
			}
			return unnamed(m)
		},
		Arriving: func(_ int, uplink bool, _ []byte) bool { return uplink || !refused.Load() },
	})
	if row := run(t, b, "session.atomic.modify"); row.Symptom != "lost-downlink" {
		t.Errorf("what a refused modification did is %s, %q: %s", row.Verdict, row.Symptom, row.Observed)
	}
}

// TestTimesOfReportsThatAreMissing: that they are missing is the finding of other cases, and of their times nothing can be
// said.
func TestTimesOfReportsThatAreMissing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	t.Parallel()
	b := open(t, Fault{Answer: func(m []byte) []byte {
		if pfcp.MessageType(m[1]) == pfcp.SessionReportRequest {
			return nil
		}
		return m
	}})
	list, err := cases.Select([]string{"urr.times"})
	if err != nil {
		t.Fatal(err)
	}
	row, err := b.Run(t.Context(), &list[0], "")
	if err != nil || row.Verdict != record.VerdictNotApplicable {
		t.Errorf("it is %s: %s, %v", row.Verdict, row.Observed, err)
	}
}

// TestReportThatIsLostForGood: a usage report that the network loses each time that it is sent is no finding of one attempt.
func TestReportThatIsLostForGood(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	t.Parallel()
	var seen [][3]byte
	b := open(t, Fault{Answer: func(m []byte) []byte {
		const sequence, second = 12, 1
		if pfcp.MessageType(m[1]) != pfcp.SessionReportRequest {
			return m
		}
		id := [3]byte(m[sequence:])
		if !slices.Contains(seen, id) {
			seen = append(seen, id)
		}
		if slices.Index(seen, id) == second {
			return nil
		}
		return m
	}})
	if row := run(t, b, "urr.periodic"); row.Verdict.Bad() {
		t.Errorf("it is %s: %s: %s", row.Verdict, row.Expected, row.Observed)
	}
}
