package smf

import (
	"fmt"

	"github.com/wmnsk/go-pfcp/ie"
)

// MaxPDRs is the most PDRs of a session: of the others than the two, a host of
// 203.0.113.0/24 for each pair.
const MaxPDRs = 256

// checkPDRs refuses what cannot be written.
func (s *Session) checkPDRs() error {
	switch {
	case s.PDRs < 0 || s.PDRs > MaxPDRs:
		return fmt.Errorf("%s: %d PDRs are not in 0..%d", s, s.PDRs, MaxPDRs)
	case s.PDRs > 2 && s.UplinkTEID == 0:
		return fmt.Errorf("%s: several uplink PDRs need a TEID of the SMF's (teid.assign: smf)", s)
	}
	return nil
}

// filteredPDRs writes the PDRs beyond the two, in turn uplink and downlink. They come
// before those in precedence, and no test packet matches their filters.
func (r *ruleset) filteredPDRs(m *builder, s *Session) {
	const before = 32 // a lower value is looked at first (TS 29.244 clause 5.2.1)
	for n := range s.PDRs - 2 {
		pdr := m.Open(ie.CreatePDR)
		id := pdrDownlink + 1 + n
		m.IE(ie.PDRID, byte(id>>8), byte(id))
		m.IE32(ie.Precedence, before)
		filter := fmt.Sprintf("permit out ip from 203.0.113.%d/32 to assigned", n/2)
		if n%2 == 0 {
			r.filteredUplink(m, s, filter)
		} else {
			r.filteredDownlink(m, s, filter)
		}
		m.Close(pdr)
	}
}

func (r *ruleset) filteredUplink(m *builder, s *Session, filter string) {
	pdi := m.Open(ie.PDI)
	m.IE(ie.SourceInterface, sideAccess)
	m.fteid(s.UplinkTEID, s.N3)
	r.networkInstance(m, s)
	m.filter(filter)
	r.interfaceType(m, typeN3)
	m.Close(pdi)
	m.IE(ie.OuterHeaderRemoval, r.removal(s.N3))
	r.actions(m, farUplink)
}

func (r *ruleset) filteredDownlink(m *builder, s *Session, filter string) {
	const destination = 0x04 // the flag S/D
	pdi := m.Open(ie.PDI)
	m.IE(ie.SourceInterface, sideCore)
	r.networkInstance(m, s)
	m.ueIP(s.UE, destination)
	m.filter(filter)
	r.interfaceType(m, typeN6)
	m.Close(pdi)
	r.actions(m, farDownlink)
}

// filter writes an SDF Filter with a flow description (clause 8.2.5).
func (m *builder) filter(description string) {
	const flowDescription = 0x01
	at := m.Open(ie.SDFFilter)
	m.Octets(flowDescription, 0, byte(len(description)>>8), byte(len(description)))
	m.Octets([]byte(description)...)
	m.Close(at)
}
