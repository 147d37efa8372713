package smf

import (
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// builder writes one PFCP message, with the IEs that several kinds have.
type builder struct{ pfcp.Builder }

// family picks the value that stands for the address family of a.
func family(a netip.Addr, v4, v6 byte) byte {
	if a.Is6() {
		return v6
	}
	return v4
}

func (m *builder) nodeID(a netip.Addr) {
	at := m.Open(ie.NodeID)
	m.Octets(family(a, 0, 1))
	m.Addr(a)
	m.Close(at)
}

func (m *builder) fseid(seid uint64, a netip.Addr) {
	at := m.Open(ie.FSEID)
	m.Octets(family(a, 0x02, 0x01))
	m.Uint64(seid)
	m.Addr(a)
	m.Close(at)
}

// recovery writes a Recovery Time Stamp (clause 8.2.65).
func (m *builder) recovery(t time.Time) {
	m.IE32(ie.RecoveryTimeStamp, pfcp.Timestamp(t))
}
