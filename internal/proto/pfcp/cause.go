package pfcp

import "fmt"

// Cause is the outcome that a response gives (TS 29.244 clause 8.2.1).
type Cause uint8

// String returns the cause's name in the words of table 8.2.1-1.
func (c Cause) String() string {
	if int(c) < len(causeNames) && causeNames[c] != "" {
		return causeNames[c]
	}
	return fmt.Sprintf("cause %d", uint8(c))
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
	73: "Rule creation/modification Failure",
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
