package smf

import (
	"net/netip"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// ruleWriter writes the rules of one session in a dialect: the groups that establishments and modifications have.
type ruleWriter struct {
	*pfcp.Builder
	*Dialect
	N3       netip.Addr // of the UPF, in the F-TEIDs of PDRs that do not name one
	instance string     // the session's Network Instance
}

// Types of 3GPP interfaces (clause 8.2.118).
const (
	typeN3 = 11
	typeN6 = 17
)

// rulesFor writes the rules of a session into the message of a writer, with the session's Network Instance unless the UPF
// knows one only.
func (w *Writer) rulesFor(s *rules.Session) ruleWriter {
	r := ruleWriter{Builder: &w.Builder, Dialect: &w.Dialect, N3: w.N3, instance: w.Instance}
	if s.Instance != "" && !w.OneInstance {
		r.instance = s.Instance
	}
	return r
}

// networkInstance writes the Network Instance in the encoding of the dialect (clause 8.2.4). Its labels
// have at most 63 octets, which Config and Session are checked for.
func (w *ruleWriter) networkInstance() {
	if w.instance == "" || w.NetworkInstance == InstanceOmitted {
		return
	}
	at := w.Open(ie.NetworkInstance)
	if w.NetworkInstance == InstanceRaw {
		w.Text(w.instance)
	} else {
		for label, rest, more := "", w.instance, true; more; {
			label, rest, more = strings.Cut(rest, ".")
			w.Octets(byte(len(label)))
			w.Text(label)
		}
	}
	w.Close(at)
}

// interfaceType writes the 3GPP Interface Type where the dialect has it: the one that is given, or
// that of the side when it is 0.
func (w *ruleWriter) interfaceType(given uint8, side rules.Side) {
	switch {
	case !w.InterfaceType:
	case given != 0:
		w.IE(ie.TGPPInterfaceType, given)
	case side == rules.Access:
		w.IE(ie.TGPPInterfaceType, typeN3)
	default:
		w.IE(ie.TGPPInterfaceType, typeN6)
	}
}

// family picks the value that means the address family of a.
func family(a netip.Addr, v4, v6 byte) byte {
	if a.Is6() {
		return v6
	}
	return v4
}
