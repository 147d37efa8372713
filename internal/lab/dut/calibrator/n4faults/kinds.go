// Package n4faults makes the answers that a UPF sends on N4 false, each in one known
// way, so that it can be shown that the tester reports it. Only answers about
// sessions are changed; the association is made as usual.
package n4faults

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/smf"
)

// Kind is a fault on N4; "" is none.
type Kind string

// The kinds.
const (
	WrongSEID     Kind = "wrong-seid"
	NoSEID        Kind = "no-seid"
	OneSEID       Kind = "one-seid"
	OneTEID       Kind = "one-teid"
	WrongSequence Kind = "wrong-sequence"
	WrongType     Kind = "wrong-type"
	OtherAddress  Kind = "other-address"
	OtherPort     Kind = "other-port"
	Doubled       Kind = "doubled"
	Lost          Kind = "lost"
	Unasked       Kind = "unasked"
	Malformed     Kind = "malformed"
	Restarted     Kind = "restarted"
)

// kinds says of each what happens, how it is carried out, and what the SMF's
// side has to find.
var kinds = []struct {
	kind    Kind
	finding string
	what    string
	tell    func(*faulty, answer) error
}{
	{WrongSEID, smf.FindingSEIDWrong, "answers have another session's SEID", (*faulty).wrongSEID},
	{NoSEID, smf.FindingSEIDMissing, "answers have SEID 0", (*faulty).noSEID},
	{OneSEID, smf.FindingUPSEIDReused, "all sessions get the UP SEID of the first", (*faulty).oneSEID},
	{OneTEID, smf.FindingFTEIDReused, "all sessions get the F-TEID of the first; give teid.assign=upf", (*faulty).oneTEID},
	{WrongSequence, smf.FindingSequence, "the first answer to a request has another sequence number", (*faulty).wrongSequence},
	{WrongType, smf.FindingType, "the first answer to a request is a Session Report Response", (*faulty).wrongType},
	{OtherAddress, smf.FindingAddress, "the first answer to a request leaves from the N3 address", (*faulty).elsewhere},
	{OtherPort, smf.FindingPort, "answers leave from another port", (*faulty).elsewhere},
	{Doubled, smf.FindingDoubled, "answers leave twice", (*faulty).doubled},
	{Lost, smf.FindingRepeated, "the first answer to a request is lost", (*faulty).lost},
	{Unasked, smf.FindingUnasked, "a Heartbeat Response that nobody asked for goes with each answer", (*faulty).unasked},
	{Malformed, smf.FindingMalformed, "half an answer goes with each answer", (*faulty).malformed},
	{Restarted, smf.FindingRestarted, "a heartbeat with a later Recovery Time Stamp goes with each answer", (*faulty).restarted},
}

// Kinds lists the kinds.
func Kinds() []Kind {
	var all []Kind
	for _, k := range kinds {
		all = append(all, k.kind)
	}
	return all
}

// Finding is the code of record.N4Finding by which the fault has to be reported.
func (k Kind) Finding() string {
	for _, one := range kinds {
		if one.kind == k {
			return one.finding
		}
	}
	return ""
}

// Split takes "n4=KIND" out of a calibrator's parameters, which it returns
// without it. The error lists the kinds.
func Split(parameters string) (rest string, k Kind, err error) {
	var kept []string
	for part := range strings.SplitSeq(parameters, ",") {
		value, is := strings.CutPrefix(strings.TrimSpace(part), "n4=")
		switch {
		case !is:
			kept = append(kept, part)
		case k != "":
			return "", "", fmt.Errorf("n4: it is given twice")
		case !slices.Contains(Kinds(), Kind(value)):
			return "", "", fmt.Errorf("n4=%s: there is no such fault; there are:\n%s", value, table())
		default:
			k = Kind(value)
		}
	}
	return strings.Join(kept, ","), k, nil
}

func table() string {
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "  %-15s %s\n", k.kind, k.what)
	}
	return strings.TrimRight(b.String(), "\n")
}
