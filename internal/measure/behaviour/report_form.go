package behaviour

import (
	"fmt"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Formed holds all reports of a UE's session so far, in requests and in answers, to the IEs that they must have. That
// there are none is the finding of another case.
func Formed(u *UE) Step {
	return Step{Text: "the reports have the IEs that they must have, and what their Report Type says", Do: func(t *T) error {
		s := t.sessions[u]
		if len(t.peer.Reports(s.Ours))+len(s.Answered) == 0 {
			return fail.Repeated(fail.Inapplicable("no report comes"))
		}
		return t.malformedReport(s)
	}}
}

// malformedReport is the failure of the first report of a session that lacks an IE, has another message's, or repeats a
// sequence number; nil: none does.
func (t *control) malformedReport(s *Session) error {
	for _, r := range t.peer.Reports(s.Ours) {
		if text := misformed(&r); text != "" {
			return fail.Because(fail.ReportForm, fail.Wrongf("a session report has its IEs (TS 29.244 clause 7.5.8)", "%s", text))
		}
	}
	return s.malformed
}

// malformedReports is that of all sessions.
func (t *control) malformedReports() error {
	for _, s := range t.sessions {
		if err := t.malformedReport(s); err != nil {
			return err
		}
	}
	return nil
}

// misformed says what is wrong with a session report; "": nothing.
func misformed(r *n4.Report) string {
	says := func(bit uint8) bool { return r.Type&bit != 0 }
	switch {
	case r.Reused:
		return fmt.Sprintf("two that differ have the sequence number %d", r.Number)
	case r.Type == 0:
		return "one has no Report Type"
	case says(smf.UsageReport) != (len(r.Usage) > 0):
		return fmt.Sprintf("one has the Report Type %#02x and %d usage reports", r.Type, len(r.Usage))
	case says(smf.DownlinkData) != (len(r.PDRs) > 0):
		return fmt.Sprintf("one has the Report Type %#02x and names %d PDRs of downlink data", r.Type, len(r.PDRs))
	case says(smf.ErrorIndication) != (len(r.Remote) > 0):
		return fmt.Sprintf("one has the Report Type %#02x and names %d tunnels of error indications", r.Type, len(r.Remote))
	}
	for i := range r.Usage {
		if text := lacking(&r.Usage[i], pfcp.IEType(ie.UsageReportWithinSessionReportRequest)); text != "" {
			return text
		}
	}
	return ""
}

// lacking says what a usage report lacks, or that it came as another message's IE; "": nothing.
func lacking(u *n4.Usage, due pfcp.IEType) string {
	switch {
	case u.IE != due:
		return fmt.Sprintf("a usage report is the IE %d in place of %d", u.IE, due)
	case !u.Named:
		return "a usage report has no URR ID"
	case !u.Numbered:
		return "a usage report has no UR-SEQN"
	case !u.Triggered:
		return "a usage report has no Usage Report Trigger"
	}
	return ""
}

// answered takes the usage reports of an answer over, and notes one that lacks an IE or is another message's.
func (s *Session) answered(a *n4.Answer) {
	due := pfcp.IEType(ie.UsageReportWithinSessionModificationResponse)
	if a.Type == pfcp.SessionDeletionResponse {
		due = pfcp.IEType(ie.UsageReportWithinSessionDeletionResponse)
	}
	s.Answered = append(s.Answered, a.Usage...)
	for i := range a.Usage {
		if text := lacking(&a.Usage[i], due); text != "" && s.malformed == nil {
			s.malformed = fail.Because(fail.ReportForm, fail.Wrongf(a.Type.String()+"s have whole usage reports, in their own IE", "%s", text))
		}
	}
}
