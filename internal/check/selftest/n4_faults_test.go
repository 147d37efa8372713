package selftest

import (
	"testing"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/record"
)

func TestLiesAreHeldToWhatIsReported(t *testing.T) {
	found := func(codes ...string) (list []record.N4Finding) {
		for _, c := range codes {
			list = append(list, record.N4Finding{Code: c, Count: 1})
		}
		return list
	}
	for _, c := range []struct {
		story, mode string
		found       []record.N4Finding
		pass        bool
	}{
		{"truthful", "", nil, true},
		{"truthful, on a busy machine", "loss=0.1", found(smf.FindingRepeated), true},
		{"truthful, accused", "", found(smf.FindingDoubled), false},
		{"found", "n4=doubled", found(smf.FindingDoubled), true},
		{"not found", "n4=doubled", nil, false},
		{"found, with another", "n4=doubled", found(smf.FindingDoubled, smf.FindingUnasked), false},
		{"lost", "loss=0.1,n4=lost", found(smf.FindingRepeated), true},
		{"lost, not found", "n4=lost", nil, false},
		{"wrong type, and repeated for that", "n4=wrong-type", found(smf.FindingType, smf.FindingRepeated), true},
	} {
		rows := reported(&record.Result{DUTs: []record.DUT{{Name: "calibrator", Mode: c.mode, N4Findings: c.found}}})
		if len(rows) != 1 || rows[0].Pass != c.pass {
			t.Errorf("%s: %+v, want pass %v", c.story, rows, c.pass)
		}
	}
}
