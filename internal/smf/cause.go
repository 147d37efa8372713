package smf

import "fmt"

// Cause is the outcome that a response gives (TS 29.244 clause 8.2.1).
type Cause uint8

// The causes by which the code decides something.
const (
	causeAccepted         Cause = 1
	causeContextNotFound  Cause = 65
	causeMandatoryMissing Cause = 66
)

// String gives the cause's name in the words of TS 29.244 table 8.2.1-1.
func (c Cause) String() string {
	if int(c) < len(causeNames) && causeNames[c] != "" {
		return causeNames[c]
	}
	return fmt.Sprintf("unknown cause %d", uint8(c))
}

var causeNames = [...]string{
	1:  "Request accepted",
	2:  "More Usage Report to send",
	3:  "Request partially accepted",
	64: "Request rejected",
	65: "Session context not found",
	66: "Mandatory IE missing",
	67: "Conditional IE missing",
	68: "Invalid length",
	69: "Mandatory IE incorrect",
	70: "Invalid Forwarding Policy",
	71: "Invalid F-TEID allocation option",
	72: "No established PFCP Association",
	73: "Rule creation/modification failure",
	74: "PFCP entity in congestion",
	75: "No resources available",
	76: "Service not supported",
	77: "System failure",
	78: "Redirection Requested",
	79: "All dynamic addresses are occupied",
	80: "Unknown Pre-defined Rule",
	81: "Unknown Application ID",
	82: "L2TP tunnel Establishment failure",
	83: "L2TP session Establishment failure",
	84: "L2TP tunnel release",
	85: "L2TP session release",
	86: "PFCP session restoration failure",
}

// advice says what to do about a cause; empty when there is nothing to say.
func (c Cause) advice() string {
	switch c {
	case 65:
		return "the UPF has lost the session: did it restart, or did another SMF associate?"
	case 66, 67, 68, 69:
		return "check that the dialect is this UPF's"
	case 71:
		return "let the SMF assign the F-TEID (assign: smf)"
	case 72:
		return "associate first; the UPF may have dropped the association for want of heartbeats"
	case 73:
		return "read the UPF's log; usual reasons are its table sizes and CHOOSE where it is off"
	case 74, 75:
		return "ask for fewer sessions or raise the UPF's limits"
	}
	return ""
}

// IEType is the type of an information element (TS 29.244 table 8.1.2-1).
type IEType uint16

// String gives the IE's name, e.g. "QER ID".
func (t IEType) String() string {
	if int(t) < len(ieNames) && ieNames[t] != "" {
		return ieNames[t]
	}
	if t >= 0x8000 {
		return "vendor-specific IE"
	}
	return "unknown IE"
}
