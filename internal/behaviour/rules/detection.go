package rules

import (
	"github.com/wmnsk/go-pfcp/ie"
)

// pdr writes a Create or Update PDR (tables 7.5.2.2-1, 7.5.4.2-1).
func (w *Writer) pdr(group uint16, p *PDR) {
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

// removal is the description that a PDR has: that of the dialect for packets from a
// tunnel.
func (w *Writer) removal(p *PDR) (byte, bool) {
	switch {
	case p.Removal > 0:
		return byte(p.Removal - 1), true
	case p.Removal == NoRemoval || p.WithoutPDI, p.From != Access && p.TEID == 0 && !p.Choose:
		return 0, false
	}
	return w.OuterHeaderRemoval, true
}

func (w *Writer) pdi(p *PDR) {
	at := w.Open(ie.PDI)
	w.IE(ie.SourceInterface, byte(p.From))
	if p.Endpoint != 0 {
		w.IE(ie.TrafficEndpointID, p.Endpoint)
	} else {
		w.fteid(p)
		if !p.NoInstance {
			w.instance()
		}
		w.ue(p)
	}
	for _, f := range p.Filters {
		w.filter(f)
	}
	for _, q := range p.QFIs {
		w.IE(ie.QFI, q)
	}
	w.kind(p.Interface, p.From)
	w.Close(at)
}

// endpoint writes a Create or Update Traffic Endpoint (tables 7.5.2.7-1, 7.5.4.13-1).
func (w *Writer) endpoint(group uint16, e *Endpoint) {
	at := w.Open(group)
	w.IE(ie.TrafficEndpointID, e.ID)
	p := PDR{From: e.Source, TEID: e.TEID, UE: e.UE}
	w.fteid(&p)
	w.instance()
	w.ue(&p)
	w.Close(at)
}

// fteid writes the local F-TEID (clause 8.2.3).
func (w *Writer) fteid(p *PDR) {
	switch {
	case p.Choose && p.ChooseID != 0:
		w.IE(ie.FTEID, 0x0d, p.ChooseID)
	case p.Choose:
		w.IE(ie.FTEID, 0x05)
	case p.TEID != 0:
		at, n3 := w.Open(ie.FTEID), w.N3
		if p.N3.IsValid() {
			n3 = p.N3
		}
		if n3.Is6() {
			w.Octets(2)
		} else {
			w.Octets(1)
		}
		w.Uint32(p.TEID)
		w.Addr(n3)
		w.Close(at)
	}
}

// ue writes the UE IP Address (clause 8.2.62).
func (w *Writer) ue(p *PDR) {
	var flags byte
	if p.From == Core {
		flags = 0x04 // it is the destination
	}
	switch {
	case p.ChooseUE:
		w.IE(ie.UEIPAddress, flags|0x10) // CHV4
	case p.UE.IsValid():
		at := w.Open(ie.UEIPAddress)
		if p.UE.Is6() {
			flags |= 1
		} else {
			flags |= 2
		}
		w.Octets(flags)
		w.Addr(p.UE)
		w.Close(at)
	}
}

// filter writes an SDF Filter (clause 8.2.5).
func (w *Writer) filter(f Filter) {
	at := w.Open(ie.SDFFilter)
	var flags byte
	for i, has := range []bool{f.Flow != "", f.Mask != 0, f.SPI != 0, f.FlowLabel != 0, f.ID != 0} {
		if has {
			flags |= 1 << i
		}
	}
	w.Octets(flags, 0)
	if f.Flow != "" {
		w.Octets(byte(len(f.Flow)>>8), byte(len(f.Flow)))
		w.Octets([]byte(f.Flow)...)
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
