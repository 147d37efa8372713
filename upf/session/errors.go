package session

import "fmt"

// Kind is the kind of a rule, with the values of the Rule ID Type in the
// Failed Rule ID IE (TS 29.244 clause 8.2.80).
type Kind uint8

// The kinds of rules.
const (
	KindPDR Kind = iota
	KindFAR
	KindQER
	KindURR
	KindBAR
)

// String gives the kind in the words of TS 29.244.
func (k Kind) String() string {
	switch k {
	case KindPDR:
		return "PDR"
	case KindFAR:
		return "FAR"
	case KindQER:
		return "QER"
	case KindURR:
		return "URR"
	case KindBAR:
		return "BAR"
	}
	return fmt.Sprintf("rule kind %d", uint8(k))
}

// RuleError says which rule of a session cannot be created or changed, and
// why. A PFCP peer is answered with the cause "Rule creation/modification
// Failure" (73) and a Failed Rule ID. A datapath returns it, wrapped or bare,
// from Apply when the fault is a rule's.
type RuleError struct {
	Kind   Kind
	ID     uint32
	Reason string // what is wrong and what would be accepted
}

// Error implements error.
func (e *RuleError) Error() string {
	return fmt.Sprintf("%s %d: %s", e.Kind, e.ID, e.Reason)
}

func pdrError(id uint16, format string, args ...any) error {
	return &RuleError{KindPDR, uint32(id), fmt.Sprintf(format, args...)}
}

func farError(id uint32, format string, args ...any) error {
	return &RuleError{KindFAR, id, fmt.Sprintf(format, args...)}
}

func urrError(id uint32, format string, args ...any) error {
	return &RuleError{KindURR, id, fmt.Sprintf(format, args...)}
}

func qerError(id uint32, format string, args ...any) error {
	return &RuleError{KindQER, id, fmt.Sprintf(format, args...)}
}
