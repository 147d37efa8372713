package behaviour

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/record"
)

// named is a failure to find something that did come, but with a wrong address: that is the fault then, and not that
// nothing came.
func (t *T) named(f *fail.Failure) *fail.Failure {
	for _, of := range []func(*fail.Failure) *fail.Failure{t.byReportSEID, t.byFTEID} {
		if other := of(f); other != nil {
			return other
		}
	}
	return f
}

// byReportSEID names the SEID of session reports that were missed; nil: there are none.
func (t *control) byReportSEID(f *fail.Failure) *fail.Failure {
	if !slices.Contains([]string{fail.Report, fail.Usage, fail.Uncounted, fail.NoUsage}, f.Symptom) {
		return nil
	}
	return t.misaddressed(t.peer, f.Expected)
}

// misaddressed is the failure of reports that came to an SMF with a SEID of no session; nil: there are none.
func (t *control) misaddressed(at *n4.Peer, expected string) *fail.Failure {
	list := at.Misaddressed()
	if len(list) == 0 {
		return nil
	}
	return &fail.Failure{Verdict: record.VerdictWrong, Symptom: fail.ReportSEID, Expected: expected,
		Observed: fmt.Sprintf("%d session reports came with the SEID of no session, the last with %#x%s", len(list), list[len(list)-1].SEID, t.ours())}
}

// ours names the SEIDs of the sessions.
func (t *control) ours() (text string) {
	for _, s := range t.sessions {
		if text == "" && s.Ours != 0 {
			text = fmt.Sprintf("; the session's is %#x", s.Ours)
		}
	}
	return text
}

// byFTEID names the address of an F-TEID that the UPF chose, and that is not the one of its N3; nil: it is.
func (t *T) byFTEID(f *fail.Failure) *fail.Failure {
	if f.Symptom != fail.Lost+"uplink" && f.Symptom != fail.Loss {
		return nil
	}
	for u := range t.sessions {
		if u.N3 != t.Fixture.UPF && u.N3 != t.Fixture.Six.UPF {
			return &fail.Failure{Verdict: record.VerdictWrong, Symptom: fail.FTEID, Expected: f.Expected, Soft: true,
				Observed: fmt.Sprintf("it was sent to %s, the address of the F-TEID in Created PDR, and did not arrive; N3 of the UPF is %s",
					u.N3, t.Fixture.UPF)}
		}
	}
	return nil
}
