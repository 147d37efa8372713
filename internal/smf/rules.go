package smf

import "net/netip"

// Source and Destination Interface (clauses 8.2.2 and 8.2.24), and the 3GPP
// Interface Types beside them (clause 8.2.118).
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
	r.uplinkFAR(m)
	r.downlinkFAR(m, s)
	if r.URR {
		r.urr(m)
	}
	if r.QER {
		r.qer(m, s.QFI)
	}
	if r.PDNType {
		m.ie(iePDNType, family(s.UE, 1, 2))
	}
}

func (r *ruleset) uplinkPDR(m *builder, s *Session) {
	pdr := m.open(ieCreatePDR)
	m.ie(iePDRID, 0, pdrUplink)
	m.ie32(iePrecedence, precedence)
	pdi := m.open(iePDI)
	m.ie(ieSourceInterface, sideAccess)
	m.fteid(s.UplinkTEID, s.N3)
	r.networkInstance(m)
	if r.SourceIPInUplinkPDI {
		m.ueIP(s.UE, 0)
	}
	if r.QFIInUplinkPDI {
		m.ie(ieQFI, s.QFI)
	}
	r.interfaceType(m, typeN3)
	m.close(pdi)
	m.ie(ieOuterHeaderRemoval, r.removal(s.N3))
	r.actions(m, farUplink)
	m.close(pdr)
}

func (r *ruleset) downlinkPDR(m *builder, s *Session) {
	const destination = 0x04 // the flag S/D
	pdr := m.open(ieCreatePDR)
	m.ie(iePDRID, 0, pdrDownlink)
	m.ie32(iePrecedence, precedence)
	pdi := m.open(iePDI)
	m.ie(ieSourceInterface, sideCore)
	r.networkInstance(m)
	m.ueIP(s.UE, destination)
	r.interfaceType(m, typeN6)
	m.close(pdi)
	r.actions(m, farDownlink)
	m.close(pdr)
}

// actions names the rules that a PDR's packets go through.
func (r *ruleset) actions(m *builder, far uint32) {
	m.ie32(ieFARID, far)
	if r.URR {
		m.ie32(ieURRID, urrID)
	}
	if r.QER {
		m.ie32(ieQERID, qerID)
	}
}

func (r *ruleset) uplinkFAR(m *builder) {
	far := m.open(ieCreateFAR)
	m.ie32(ieFARID, farUplink)
	r.applyAction(m, Forward)
	params := m.open(ieForwardingParameters)
	m.ie(ieDestinationInterface, sideCore)
	r.networkInstance(m)
	r.interfaceType(m, typeN6)
	m.close(params)
	m.close(far)
}

func (r *ruleset) downlinkFAR(m *builder, s *Session) {
	far := m.open(ieCreateFAR)
	m.ie32(ieFARID, farDownlink)
	r.applyAction(m, Forward)
	params := m.open(ieForwardingParameters)
	m.ie(ieDestinationInterface, sideAccess)
	r.networkInstance(m)
	m.outerHeader(s.DownlinkTEID, s.GNB)
	r.interfaceType(m, typeN3)
	m.close(params)
	m.close(far)
}

// change writes the Update FAR of a modification (table 7.5.4.3-1).
func (r *ruleset) change(m *builder, c Change) {
	const sendEndMarker = 0x02
	far := m.open(ieUpdateFAR)
	m.ie32(ieFARID, farDownlink)
	if c.Action != 0 {
		r.applyAction(m, c.Action)
	}
	if c.GNB.IsValid() {
		params := m.open(ieUpdateForwarding)
		m.outerHeader(c.TEID, c.GNB)
		if c.EndMarker {
			m.ie(ieSMReqFlags, sendEndMarker)
		}
		m.close(params)
	}
	m.close(far)
}

// qer opens both gates and marks with the QFI (table 7.5.2.5-1).
func (r *ruleset) qer(m *builder, qfi uint8) {
	qer := m.open(ieCreateQER)
	m.ie32(ieQERID, qerID)
	m.ie(ieGateStatus, 0)
	if r.MBR != 0 {
		at := m.open(ieMBR)
		for range 2 { // uplink, downlink
			m.b = append(m.b, byte(r.MBR>>32))
			m.u32(uint32(r.MBR))
		}
		m.close(at)
	}
	m.ie(ieQFI, qfi)
	m.close(qer)
}

// urr measures volume and reports it every hour, which is to say at the end:
// go-upf counts only where a periodic report is asked for.
func (r *ruleset) urr(m *builder) {
	const volume, periodic, hour = 0x02, 0x01, 3600
	urr := m.open(ieCreateURR)
	m.ie32(ieURRID, urrID)
	m.ie(ieMeasurementMethod, volume)
	if r.ReportingTriggersOctets >= 3 {
		m.ie(ieReportingTriggers, periodic, 0, 0)
	} else {
		m.ie(ieReportingTriggers, periodic, 0)
	}
	m.ie32(ieMeasurementPeriod, hour)
	m.close(urr)
}

func (r *ruleset) applyAction(m *builder, a Action) {
	if r.ApplyActionOctets >= 2 {
		m.ie(ieApplyAction, byte(a), 0)
		return
	}
	m.ie(ieApplyAction, byte(a))
}

func (r *ruleset) networkInstance(m *builder) {
	if r.instance != nil {
		m.ie(ieNetworkInstance, r.instance...)
	}
}

func (r *ruleset) interfaceType(m *builder, typ byte) {
	if r.InterfaceType {
		m.ie(ieInterfaceType, typ)
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
		m.ie(ieFTEID, choose|family(n3, v4, v6))
		return
	}
	at := m.open(ieFTEID)
	m.b = append(m.b, family(n3, v4, v6))
	m.u32(teid)
	m.addr(n3)
	m.close(at)
}

// ueIP writes the UE IP Address (clause 8.2.62) with the flag S/D as given.
func (m *builder) ueIP(ue netip.Addr, sourceOrDestination byte) {
	at := m.open(ieUEIPAddress)
	m.b = append(m.b, sourceOrDestination|family(ue, 0x02, 0x01))
	m.addr(ue)
	m.close(at)
}

// outerHeader asks for GTP-U/UDP/IP towards the gNB (clause 8.2.56).
func (m *builder) outerHeader(teid uint32, gnb netip.Addr) {
	at := m.open(ieOuterHeaderCreation)
	m.b = append(m.b, family(gnb, 0x01, 0x02), 0)
	m.u32(teid)
	m.addr(gnb)
	m.close(at)
}
