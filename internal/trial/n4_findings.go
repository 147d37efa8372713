package trial

import (
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/smf"
)

// NoteN4 records what the UPF did wrong on N4 in this visit, whether the visit
// succeeded or not.
func (dp *Deployment) NoteN4(out *record.DUT) {
	if dp.n4 == nil {
		return
	}
	out.N4Findings = record.AddN4(out.N4Findings, dp.n4.Findings())
	for _, f := range out.N4Findings {
		out.Remarks = withN4Remark(out.Remarks, f)
	}
}

// withN4Remark appends the remark about a finding, in place of that of earlier
// visits, which counts less.
func withN4Remark(remarks []string, f record.N4Finding) []string {
	kind := smf.FindingKind(f.Code) + ":"
	remarks = slices.DeleteFunc(slices.Clone(remarks), func(r string) bool { return strings.HasPrefix(r, kind) })
	return append(remarks, smf.FindingRemark(f))
}
