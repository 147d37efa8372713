package rules

import (
	"net/netip"
	"strings"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/smf"
	"github.com/upflab/upflab/pfcp"
)

// Writer writes sessions' IEs in a dialect.
type Writer struct {
	smf.Dialect
	Instance string     // Network Instance
	N3       netip.Addr // of the UPF, in F-TEIDs
	pfcp.Builder
}

// Types of 3GPP interfaces (clause 8.2.118).
const (
	typeN3 = 11
	typeN6 = 17
	// N9Roaming is that of N9 between the UPFs of two operators.
	N9Roaming = 21
)

// Session writes the rules of an establishment.
func (w *Writer) Session(s *Session) {
	w.create(s)
	if w.PDNType || s.PDN != 0 {
		w.IE(ie.PDNType, s.pdn())
	}
}

func (s *Session) pdn() byte {
	if s.PDN != 0 {
		return s.PDN
	}
	for _, p := range s.PDRs {
		if p.UE.Is6() {
			return 2
		}
	}
	return 1
}

func (w *Writer) create(s *Session) {
	for i := range s.Endpoints {
		w.endpoint(ie.CreateTrafficEndpoint, &s.Endpoints[i])
	}
	for i := range s.PDRs {
		w.pdr(ie.CreatePDR, &s.PDRs[i])
	}
	for i := range s.FARs {
		w.far(ie.CreateFAR, ie.ForwardingParameters, &s.FARs[i])
	}
	for i := range s.URRs {
		w.urr(ie.CreateURR, &s.URRs[i])
	}
	for i := range s.QERs {
		w.qer(ie.CreateQER, &s.QERs[i])
	}
	for i := range s.BARs {
		w.bar(ie.CreateBAR, &s.BARs[i])
	}
}

// Change writes a modification.
func (w *Writer) Change(c *Change) {
	for _, id := range c.Remove.PDRs {
		at := w.Open(ie.RemovePDR)
		w.IE(ie.PDRID, byte(id>>8), byte(id))
		w.Close(at)
	}
	w.remove(ie.RemoveFAR, ie.FARID, c.Remove.FARs)
	w.remove(ie.RemoveURR, ie.URRID, c.Remove.URRs)
	w.remove(ie.RemoveQER, ie.QERID, c.Remove.QERs)
	for _, id := range c.Remove.BARs {
		at := w.Open(ie.RemoveBAR)
		w.IE(ie.BARID, byte(id))
		w.Close(at)
	}
	for _, id := range c.Remove.Endpoints {
		at := w.Open(ie.RemoveTrafficEndpoint)
		w.IE(ie.TrafficEndpointID, id)
		w.Close(at)
	}
	w.create(&c.Create)
	w.update(&c.Update)
	if f := c.flags(); f != 0 {
		w.IE(ie.PFCPSMReqFlags, f)
	}
	w.remove(ie.QueryURR, ie.URRID, c.Query)
}

// flags are PFCPSMReq-Flags (clause 8.2.53).
func (c *Change) flags() (f byte) {
	if c.DropBuffered {
		f |= 1
	}
	if c.QueryAll {
		f |= 4
	}
	return f
}

func (w *Writer) update(s *Session) {
	for i := range s.Endpoints {
		w.endpoint(ie.UpdateTrafficEndpoint, &s.Endpoints[i])
	}
	for i := range s.PDRs {
		w.pdr(ie.UpdatePDR, &s.PDRs[i])
	}
	for i := range s.FARs {
		w.far(ie.UpdateFAR, ie.UpdateForwardingParameters, &s.FARs[i])
	}
	for i := range s.URRs {
		w.urr(ie.UpdateURR, &s.URRs[i])
	}
	for i := range s.QERs {
		w.qer(ie.UpdateQER, &s.QERs[i])
	}
}

// remove writes one group for each ID.
func (w *Writer) remove(group, id uint16, list []uint32) {
	for _, v := range list {
		at := w.Open(group)
		w.IE32(id, v)
		w.Close(at)
	}
}

func (w *Writer) instance() {
	switch {
	case w.Instance == "":
	case w.NetworkInstance == smf.InstanceRaw:
		w.IE(ie.NetworkInstance, []byte(w.Instance)...)
	case w.NetworkInstance == smf.InstanceLabels:
		at := w.Open(ie.NetworkInstance)
		for label := range strings.SplitSeq(w.Instance, ".") {
			w.Octets(byte(len(label)))
			w.Octets([]byte(label)...)
		}
		w.Close(at)
	}
}

// kind writes the 3GPP Interface Type: the one that is given, or the side's.
func (w *Writer) kind(given uint8, side Side) {
	switch {
	case !w.InterfaceType:
	case given != 0:
		w.IE(ie.TGPPInterfaceType, given)
	case side == Access:
		w.IE(ie.TGPPInterfaceType, typeN3)
	default:
		w.IE(ie.TGPPInterfaceType, typeN6)
	}
}
