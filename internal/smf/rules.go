package smf

import (
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"
)

// Source and Destination Interface (clauses 8.2.2 and 8.2.24), and the 3GPP
// Interface Types with them (clause 8.2.118).
const (
	sideAccess = 0
	sideCore   = 1
	typeN3     = 11
	typeN6     = 17
)

// precedence is the same for both PDRs of a session, as none overlap.
const precedence = 255

// ruleset writes the rules of sessions in a dialect.
type ruleset struct {
	Dialect
	instance []byte // the Network Instance as it goes on the wire; nil: omitted
}

func newRuleset(d Dialect, instance string) ruleset {
	return ruleset{Dialect: d, instance: encodeInstance(d.NetworkInstance, instance)}
}

// all writes every rule of the session, in the order of table 7.5.2.1-1.
func (r *ruleset) all(m *builder, s *Session) {
	r.uplinkPDR(m, s)
	r.downlinkPDR(m, s)
	r.filteredPDRs(m, s)
	r.uplinkFAR(m, s)
	r.downlinkFAR(m, s)
	if r.URR {
		r.urr(m)
	}
	if r.QER {
		r.qer(m, s.QFI)
	}
	if r.PDNType {
		m.IE(ie.PDNType, family(s.UE, 1, 2))
	}
}

func (r *ruleset) uplinkPDR(m *builder, s *Session) {
	pdr := m.Open(ie.CreatePDR)
	m.IE(ie.PDRID, 0, pdrUplink)
	m.IE32(ie.Precedence, precedence)
	pdi := m.Open(ie.PDI)
	m.IE(ie.SourceInterface, sideAccess)
	m.fteid(s.UplinkTEID, s.N3)
	r.networkInstance(m, s)
	if r.SourceIPInUplinkPDI {
		m.ueIP(s.UE, 0)
	}
	if r.QFIInUplinkPDI {
		m.IE(ie.QFI, s.QFI)
	}
	r.interfaceType(m, typeN3)
	m.Close(pdi)
	m.IE(ie.OuterHeaderRemoval, r.removal(s.N3))
	r.actions(m, farUplink)
	m.Close(pdr)
}

func (r *ruleset) downlinkPDR(m *builder, s *Session) {
	const destination = 0x04 // the flag S/D
	pdr := m.Open(ie.CreatePDR)
	m.IE(ie.PDRID, 0, pdrDownlink)
	m.IE32(ie.Precedence, precedence)
	pdi := m.Open(ie.PDI)
	m.IE(ie.SourceInterface, sideCore)
	r.networkInstance(m, s)
	m.ueIP(s.UE, destination)
	r.interfaceType(m, typeN6)
	m.Close(pdi)
	r.actions(m, farDownlink)
	m.Close(pdr)
}

// actions names the rules that a PDR's packets go through.
func (r *ruleset) actions(m *builder, far uint32) {
	m.IE32(ie.FARID, far)
	if r.URR {
		m.IE32(ie.URRID, urrID)
	}
	if r.QER {
		m.IE32(ie.QERID, qerID)
	}
}

func (r *ruleset) uplinkFAR(m *builder, s *Session) {
	far := m.Open(ie.CreateFAR)
	m.IE32(ie.FARID, farUplink)
	r.applyAction(m, Forward)
	params := m.Open(ie.ForwardingParameters)
	m.IE(ie.DestinationInterface, sideCore)
	r.networkInstance(m, s)
	r.interfaceType(m, typeN6)
	m.Close(params)
	m.Close(far)
}

func (r *ruleset) downlinkFAR(m *builder, s *Session) {
	far := m.Open(ie.CreateFAR)
	m.IE32(ie.FARID, farDownlink)
	r.applyAction(m, Forward)
	params := m.Open(ie.ForwardingParameters)
	m.IE(ie.DestinationInterface, sideAccess)
	r.networkInstance(m, s)
	m.outerHeader(s.DownlinkTEID, s.GNB)
	r.interfaceType(m, typeN3)
	m.Close(params)
	m.Close(far)
}

// change writes the Update FAR of a modification (table 7.5.4.3-1).
func (r *ruleset) change(m *builder, c Change) {
	const sendEndMarker = 0x02
	if c.MBR != 0 {
		r.updateQER(m, c.MBR)
	}
	if c.Action == 0 && !c.GNB.IsValid() {
		return
	}
	far := m.Open(ie.UpdateFAR)
	m.IE32(ie.FARID, farDownlink)
	if c.Action != 0 {
		r.applyAction(m, c.Action)
	}
	if c.GNB.IsValid() {
		params := m.Open(ie.UpdateForwardingParameters)
		m.outerHeader(c.TEID, c.GNB)
		if c.EndMarker {
			m.IE(ie.PFCPSMReqFlags, sendEndMarker)
		}
		m.Close(params)
	}
	m.Close(far)
}

// qer opens both gates and marks with the QFI (table 7.5.2.5-1).
func (r *ruleset) qer(m *builder, qfi uint8) {
	qer := m.Open(ie.CreateQER)
	m.IE32(ie.QERID, qerID)
	m.IE(ie.GateStatus, 0)
	if r.MBR != 0 {
		m.mbr(r.MBR)
	}
	m.IE(ie.QFI, qfi)
	m.Close(qer)
}

// updateQER changes the maximum bit rate (table 7.5.4.5-1).
func (r *ruleset) updateQER(m *builder, mbr uint64) {
	qer := m.Open(ie.UpdateQER)
	m.IE32(ie.QERID, qerID)
	m.mbr(mbr)
	m.Close(qer)
}

// mbr writes a maximum bit rate for both directions, kbit/s (clause 8.2.8).
func (m *builder) mbr(kbps uint64) {
	at := m.Open(ie.MBR)
	for range 2 { // uplink, downlink
		m.Octets(byte(kbps >> 32))
		m.Uint32(uint32(kbps))
	}
	m.Close(at)
}

// urr measures volume and reports it every hour, which is to say at the end:
// go-upf counts only where a periodic report is asked for.
func (r *ruleset) urr(m *builder) {
	const volume, periodic, hour = 0x02, 0x01, 3600
	urr := m.Open(ie.CreateURR)
	m.IE32(ie.URRID, urrID)
	m.IE(ie.MeasurementMethod, volume)
	if r.ReportingTriggersOctets >= 3 {
		m.IE(ie.ReportingTriggers, periodic, 0, 0)
	} else {
		m.IE(ie.ReportingTriggers, periodic, 0)
	}
	m.IE32(ie.MeasurementPeriod, hour)
	m.Close(urr)
}

func (r *ruleset) applyAction(m *builder, a Action) {
	if r.ApplyActionOctets >= 2 {
		m.IE(ie.ApplyAction, byte(a), 0)
		return
	}
	m.IE(ie.ApplyAction, byte(a))
}

func (r *ruleset) networkInstance(m *builder, s *Session) {
	name := r.instance
	if s.NetworkInstance != "" && !r.OneInstance {
		name = encodeInstance(r.Dialect.NetworkInstance, s.NetworkInstance)
	}
	if name != nil {
		m.IE(ie.NetworkInstance, name...)
	}
}

func (r *ruleset) interfaceType(m *builder, typ byte) {
	if r.InterfaceType {
		m.IE(ie.TGPPInterfaceType, typ)
	}
}

// removal is the Outer Header Removal Description for an N3 address.
func (r *ruleset) removal(n3 netip.Addr) byte {
	if r.OuterHeaderRemoval == 0 {
		return family(n3, 0, 1)
	}
	return r.OuterHeaderRemoval
}

// fteid writes the local F-TEID (clause 8.2.3), or asks for one.
func (m *builder) fteid(teid uint32, n3 netip.Addr) {
	const v4, v6, choose = 0x01, 0x02, 0x04
	if teid == 0 {
		m.IE(ie.FTEID, choose|family(n3, v4, v6))
		return
	}
	at := m.Open(ie.FTEID)
	m.Octets(family(n3, v4, v6))
	m.Uint32(teid)
	m.Addr(n3)
	m.Close(at)
}

// ueIP writes the UE IP Address (clause 8.2.62) with the flag S/D as given.
func (m *builder) ueIP(ue netip.Addr, sourceOrDestination byte) {
	at := m.Open(ie.UEIPAddress)
	m.Octets(sourceOrDestination | family(ue, 0x02, 0x01))
	m.Addr(ue)
	m.Close(at)
}

// outerHeader asks for GTP-U/UDP/IP towards the gNB (clause 8.2.56).
func (m *builder) outerHeader(teid uint32, gnb netip.Addr) {
	at := m.Open(ie.OuterHeaderCreation)
	m.Octets(family(gnb, 0x01, 0x02), 0)
	m.Uint32(teid)
	m.Addr(gnb)
	m.Close(at)
}
