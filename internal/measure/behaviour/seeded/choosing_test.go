package seeded

import (
	"testing"

	"github.com/upflab/upflab/internal/lab/smf"
)

// choosing is a UPF that takes no F-TEIDs from the SMF.
type choosing struct{ *UPF }

// Dialect implements behaviour.Lab.
func (choosing) Dialect() smf.Dialect {
	d := smf.Standard()
	d.Assign = smf.AssignUPF
	return d
}

// TestUPFThatChooses: cases that change a session mean the tunnel that the UPF gave it.
func TestUPFThatChooses(t *testing.T) {
	t.Parallel()
	b := bench(t, choosing{start(t, Fault{})})
	for _, id := range []string{"pdr.teid", "fteid.choose", "session.modify.create", "session.modify.create-qer", "session.modify.remove-qer",
		"session.modify.create-urr", "pdr.sdf.id.update", "session.many", "far.end-marker"} {
		if row := run(t, b, id); row.Verdict.Bad() {
			t.Errorf("%s is %s: %s: %s", id, row.Verdict, row.Expected, row.Observed)
		}
	}
}
