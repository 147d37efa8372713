package request

import (
	"errors"
	"fmt"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Rejection is why a request is not carried out, as the answer has it
// (TS 29.244 clause 8.2.1).
type Rejection struct {
	Cause     uint8
	Offending uint16             // type of the offending IE, 0 when there is none
	Failed    *session.RuleError // for cause 73
	SEID      uint64             // the CP function's SEID when it is known
	Reason    string             // for the log
}

// Error implements error.
func (r *Rejection) Error() string {
	text := fmt.Sprintf("cause %d (%s)", r.Cause, pfcp.Cause(r.Cause))
	if r.Offending != 0 {
		text += fmt.Sprintf(", offending IE %d", r.Offending)
	}
	if r.Reason != "" {
		text += ": " + r.Reason
	}
	return text
}

// IEs gives what follows the Cause IE.
func (r *Rejection) IEs() []*ie.IE {
	var ies []*ie.IE
	if r.Offending != 0 {
		ies = append(ies, ie.NewOffendingIE(r.Offending))
	}
	if r.Failed != nil {
		ies = append(ies, ie.NewFailedRuleID(uint8(r.Failed.Kind), r.Failed.ID))
	}
	return ies
}

func missing(typ uint16) error {
	return &Rejection{Cause: ie.CauseMandatoryIEMissing, Offending: typ}
}

func MissingConditional(typ uint16) error {
	return &Rejection{Cause: ie.CauseConditionalIEMissing, Offending: typ}
}

func badLength(typ uint16) error {
	return &Rejection{Cause: ie.CauseInvalidLength, Offending: typ}
}

func Incorrect(typ uint16, reason string) error {
	return &Rejection{Cause: ie.CauseMandatoryIEIncorrect, Offending: typ, Reason: reason}
}

func RuleError(kind session.Kind, id uint32, format string, args ...any) error {
	return &session.RuleError{Kind: kind, ID: id, Reason: fmt.Sprintf(format, args...)}
}

// RejectionOf finds the cause for an error of decode, of a rule or of a
// datapath.
func RejectionOf(err error) *Rejection {
	var r *Rejection
	var rule *session.RuleError
	switch {
	case errors.As(err, &r):
		return r
	case errors.As(err, &rule):
		return &Rejection{Cause: ie.CauseRuleCreationModificationFailure, Failed: rule, Reason: err.Error()}
	case errors.Is(err, datapath.ErrFull):
		return &Rejection{Cause: ie.CauseNoResourcesAvailable, Reason: err.Error()}
	}
	return &Rejection{Cause: ie.CauseSystemFailure, Reason: err.Error()}
}
