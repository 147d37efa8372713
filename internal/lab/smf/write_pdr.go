package smf

import (
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf/rules"
)

// pdr writes a Create or Update PDR (tables 7.5.2.2-1, 7.5.4.2-1).
func (w *ruleWriter) pdr(group uint16, p *rules.PDR) {
	at := w.Open(group)
	w.IE(ie.PDRID, byte(p.ID>>8), byte(p.ID))
	w.IE32(ie.Precedence, p.Precedence)
	if !p.WithoutPDI {
		w.pdi(p)
	}
	if d, has := w.removal(p); has {
		w.IE(ie.OuterHeaderRemoval, d)
	}
	if p.FAR != 0 {
		w.IE32(ie.FARID, p.FAR)
	}
	for _, id := range p.URRs {
		w.IE32(ie.URRID, id)
	}
	for _, id := range p.QERs {
		w.IE32(ie.QERID, id)
	}
	w.Close(at)
}

// removal is the Outer Header Removal Description of a PDR (clause 8.2.64). A PDR that detects packets
// in a tunnel has that of the dialect unless it asks for another; others have none.
func (w *ruleWriter) removal(p *rules.PDR) (description byte, has bool) {
	const gtpuIPv4, gtpuIPv6 = 0, 1
	switch {
	case p.Removal > 0:
		return byte(p.Removal - 1), true
	case p.Removal == rules.NoRemoval || p.WithoutPDI, p.From != rules.Access && p.TEID == 0 && !p.Choose:
		return 0, false
	case w.OuterHeaderRemoval == 0:
		return family(w.n3(p), gtpuIPv4, gtpuIPv6), true
	}
	return w.OuterHeaderRemoval, true
}

// n3 is the address in a PDR's F-TEID.
func (w *ruleWriter) n3(p *rules.PDR) netip.Addr {
	if p.N3.IsValid() {
		return p.N3
	}
	return w.N3
}

// pdi writes the Packet Detection Information (table 7.5.2.2-2).
func (w *ruleWriter) pdi(p *rules.PDR) {
	at := w.Open(ie.PDI)
	w.IE(ie.SourceInterface, byte(p.From))
	if p.Endpoint != 0 {
		w.IE(ie.TrafficEndpointID, p.Endpoint)
	} else {
		w.fteid(p)
		if !p.NoInstance {
			w.networkInstance()
		}
		w.ueAddress(p)
	}
	for i := range p.Filters {
		w.filter(&p.Filters[i])
	}
	for _, q := range p.QFIs {
		w.IE(ie.QFI, q)
	}
	w.interfaceType(p.Interface, p.From)
	w.Close(at)
}

// endpoint writes a Create or Update Traffic Endpoint (tables 7.5.2.7-1, 7.5.4.13-1).
func (w *ruleWriter) endpoint(group uint16, e *rules.Endpoint) {
	at := w.Open(group)
	w.IE(ie.TrafficEndpointID, e.ID)
	p := rules.PDR{From: e.Source, TEID: e.TEID, UE: e.UE}
	w.fteid(&p)
	w.networkInstance()
	w.ueAddress(&p)
	w.Close(at)
}

// fteid writes the local F-TEID, or asks the UPF to choose one (clause 8.2.3).
func (w *ruleWriter) fteid(p *rules.PDR) {
	const v4, v6, choose, chooseID = 1 << 0, 1 << 1, 1 << 2, 1 << 3
	n3 := w.n3(p)
	switch {
	case p.Choose && p.ChooseID != 0:
		w.IE(ie.FTEID, family(n3, v4, v6)|choose|chooseID, p.ChooseID)
	case p.Choose:
		w.IE(ie.FTEID, family(n3, v4, v6)|choose)
	case p.TEID != 0:
		at := w.Open(ie.FTEID)
		w.Octets(family(n3, v4, v6))
		w.Uint32(p.TEID)
		w.Addr(n3)
		w.Close(at)
	}
}

// ueAddress writes the UE IP Address, or asks the UPF to choose one (clause 8.2.62). It is the
// destination of packets from the data network, and the source of those from the gNB. An IPv6 address
// without a length, as here, stands for its prefix of 64 bits.
func (w *ruleWriter) ueAddress(p *rules.PDR) {
	const v6, v4, destination, chooseV4 = 1 << 0, 1 << 1, 1 << 2, 1 << 4
	var flags byte
	if p.From == rules.Core {
		flags = destination
	}
	switch {
	case p.ChooseUE:
		w.IE(ie.UEIPAddress, flags|chooseV4)
	case p.UE.IsValid():
		at := w.Open(ie.UEIPAddress)
		flags |= family(p.UE, v4, v6)
		if p.UE6.IsValid() {
			flags |= v6
		}
		w.Octets(flags)
		w.Addr(p.UE)
		if p.UE6.IsValid() {
			w.Addr(p.UE6)
		}
		w.Close(at)
	}
}

// filter writes an SDF Filter (clause 8.2.5).
func (w *ruleWriter) filter(f *rules.Filter) {
	at := w.Open(ie.SDFFilter)
	var flags byte
	for i, has := range [...]bool{f.Flow != "", f.Mask != 0, f.SPI != 0, f.FlowLabel != 0, f.ID != 0} {
		if has {
			flags |= 1 << i
		}
	}
	w.Octets(flags, 0)
	if f.Flow != "" {
		w.Octets(byte(len(f.Flow)>>8), byte(len(f.Flow)))
		w.Text(f.Flow)
	}
	if f.Mask != 0 {
		w.Octets(f.TOS, f.Mask)
	}
	if f.SPI != 0 {
		w.Uint32(f.SPI)
	}
	if f.FlowLabel != 0 {
		w.Octets(byte(f.FlowLabel>>16), byte(f.FlowLabel>>8), byte(f.FlowLabel))
	}
	if f.ID != 0 {
		w.Uint32(f.ID)
	}
	w.Close(at)
}
