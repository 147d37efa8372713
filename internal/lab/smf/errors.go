package smf

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// FailedRule is the rule that a UPF could not create or change (TS 29.244
// clause 8.2.80).
type FailedRule struct {
	Kind string // "PDR", "FAR", "QER", "URR" or "BAR"
	ID   uint32
}

// String names the rule, e.g. "FAR 7".
func (r *FailedRule) String() string { return fmt.Sprintf("%s %d", r.Kind, r.ID) }

// RejectedError is a response whose cause is not "Request accepted".
type RejectedError struct {
	Peer        string // address of the UPF
	Message     string // the request's name, as in TS 29.244
	Cause       pfcp.Cause
	OffendingIE pfcp.IEType // 0 when the UPF named none
	FailedRule  *FailedRule // nil when the UPF named none
	Session     *Session    // nil for a node related request
}

// Error says what was rejected and why, e.g. `UPF rejected session 17 (UE
// 10.45.0.19): cause 73 "Rule creation/modification Failure", offending IE 109
// (QER ID)`.
func (e *RejectedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: cause %d %q", e.subject(), uint8(e.Cause), e.Cause)
	if e.OffendingIE != 0 {
		fmt.Fprintf(&b, ", offending IE %d (%s)", uint16(e.OffendingIE), e.OffendingIE)
	}
	if e.FailedRule != nil {
		fmt.Fprintf(&b, ", failed rule %s", e.FailedRule)
	}
	if advice := advice(e.Cause); advice != "" {
		fmt.Fprintf(&b, "; %s", advice)
	}
	return b.String()
}

func (e *RejectedError) subject() string {
	switch {
	case e.Session == nil:
		return fmt.Sprintf("UPF %s rejected the %s", e.Peer, e.Message)
	case e.Message == pfcp.SessionEstablishmentRequest.String():
		return "UPF rejected " + e.Session.String()
	}
	return fmt.Sprintf("UPF rejected the %s of %s", e.Message, e.Session)
}

// TimeoutError is a request that was never answered.
type TimeoutError struct {
	Peer    string        // address of the UPF
	Message string        // the request's name
	Tries   int           // how often it was sent
	Waited  time.Duration // in all
	Session *Session      // nil for a node related request
}

// Error says how long was waited, for whom, and what to look at.
func (e *TimeoutError) Error() string {
	of := ""
	if e.Session != nil {
		of = " of " + e.Session.String()
	}
	return fmt.Sprintf("no answer from UPF %s to the %s%s after %d tries in %v; check that the UPF runs, "+
		"that it listens for PFCP on that address, that a route leads there and back, and its log for a message it could not read",
		e.Peer, e.Message, of, e.Tries, e.Waited)
}

// Timeout reports true, as a net.Error does for a timeout.
func (e *TimeoutError) Timeout() bool { return true }

// Unwrap makes it a deadline that passed, the client's or the context's.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// MalformedError is an answer that cannot be read, or that lacks an IE which
// TS 29.244 makes mandatory.
type MalformedError struct {
	Peer    string
	Message string // the answer's name
	Reason  error
}

// Error says which answer, and what is wrong with it.
func (e *MalformedError) Error() string {
	return fmt.Sprintf("UPF %s sent a malformed %s: %v; capture UDP port 8805 and compare it with TS 29.244",
		e.Peer, e.Message, e.Reason)
}

// Unwrap gives the reason.
func (e *MalformedError) Unwrap() error { return e.Reason }

// advice says what to do about a cause. It is empty when there is nothing to say.
func advice(c pfcp.Cause) string {
	switch uint8(c) {
	case ie.CauseSessionContextNotFound:
		return "the UPF has lost the session: did it restart, or did another SMF associate?"
	case ie.CauseMandatoryIEMissing, ie.CauseConditionalIEMissing, ie.CauseInvalidLength, ie.CauseMandatoryIEIncorrect:
		return "check that the dialect is this UPF's"
	case ie.CauseInvalidFTEIDAllocationOption:
		return "let the SMF assign the F-TEID (assign: smf)"
	case ie.CauseNoEstablishedPFCPAssociation:
		return "associate first; the UPF may have dropped the association because heartbeats were missing"
	case ie.CauseRuleCreationModificationFailure:
		return "read the UPF's log; usual reasons are a UE address that is in no pool of it (ue.pool, ue.pool6), its table sizes, and CHOOSE where it is off"
	case ie.CausePFCPEntityInCongestion, ie.CauseNoResourcesAvailable:
		return "ask for fewer sessions or raise the UPF's limits"
	}
	return ""
}
