package pfcp

import (
	"errors"
	"fmt"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// rejection is why a request is not carried out, as the answer has it
// (TS 29.244 clause 8.2.1).
type rejection struct {
	cause     uint8
	offending uint16             // type of the offending IE, 0 when there is none
	failed    *session.RuleError // for cause 73
	seid      uint64             // the CP function's SEID when it is known
	reason    string             // for the log
}

// Error implements error.
func (r *rejection) Error() string {
	text := fmt.Sprintf("cause %d (%s)", r.cause, pfcp.Cause(r.cause))
	if r.offending != 0 {
		text += fmt.Sprintf(", offending IE %d", r.offending)
	}
	if r.reason != "" {
		text += ": " + r.reason
	}
	return text
}

// ies gives what follows the Cause IE.
func (r *rejection) ies() []*ie.IE {
	var ies []*ie.IE
	if r.offending != 0 {
		ies = append(ies, ie.NewOffendingIE(r.offending))
	}
	if r.failed != nil {
		ies = append(ies, ie.NewFailedRuleID(uint8(r.failed.Kind), r.failed.ID))
	}
	return ies
}

func missing(typ uint16) error {
	return &rejection{cause: ie.CauseMandatoryIEMissing, offending: typ}
}

func missingConditional(typ uint16) error {
	return &rejection{cause: ie.CauseConditionalIEMissing, offending: typ}
}

func badLength(typ uint16) error {
	return &rejection{cause: ie.CauseInvalidLength, offending: typ}
}

func incorrect(typ uint16, reason string) error {
	return &rejection{cause: ie.CauseMandatoryIEIncorrect, offending: typ, reason: reason}
}

func ruleError(kind session.Kind, id uint32, format string, args ...any) error {
	return &session.RuleError{Kind: kind, ID: id, Reason: fmt.Sprintf(format, args...)}
}

// rejectionOf finds the cause for an error of decode, of a rule or of a
// datapath.
func rejectionOf(err error) *rejection {
	var r *rejection
	var rule *session.RuleError
	switch {
	case errors.As(err, &r):
		return r
	case errors.As(err, &rule):
		return &rejection{cause: ie.CauseRuleCreationModificationFailure, failed: rule, reason: err.Error()}
	case errors.Is(err, datapath.ErrFull):
		return &rejection{cause: ie.CauseNoResourcesAvailable, reason: err.Error()}
	}
	return &rejection{cause: ie.CauseSystemFailure, reason: err.Error()}
}
