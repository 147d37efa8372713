package forward

import (
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/session"
)

// relays are the tunnels of a row that takes packets out of one tunnel into another:
// what becomes of a packet by the QFI that it has. Where a QER marks it, all have that QFI; else the
// packet keeps its own. It keeps its RQI in either case.
type relays [2][session.MaxQFI + 1]Tunnel

func relaysOf(t *Tunnel, from session.Interface) *relays {
	all := &relays{}
	for rqi := range all {
		for qfi := range all[rqi] {
			one := *t
			one.Uplink = from == session.Access
			if one.QFI == 0 {
				one.QFI = uint8(qfi)
			}
			one.RQI = one.RQI || rqi == 1
			all[rqi][qfi] = one
		}
	}
	return all
}

// of is the tunnel of a packet that came with the header.
func (r *relays) of(h *gtpu.Header) *Tunnel {
	if h.Container.RQI {
		return &r[1][h.Container.QFI&session.MaxQFI]
	}
	return &r[0][h.Container.QFI&session.MaxQFI]
}

// ContainerMax is how many octets the PDU session container of a relayed packet may have to pass as
// it came, its length and next type included: more than TS 38.415 has fields for. It is CONTAINER_MAX of
// xdp/bpf/outer6.h.
const ContainerMax = 64

// kept is the PDU session container of a relayed packet that came with the header, where it has more
// than its QFI and RQI: paging policy and time stamps are of those who measure from end to end
// (TS 38.415 clause 5.5.2), and pass. Only the QFI and the Paging Policy Indicator are what a QER says.
// nil: the tunnel's says all.
func (r *row) kept(h *gtpu.Header) []byte {
	c := h.ContainerOctets
	if len(c) <= 2 || len(c)+2 > ContainerMax {
		return nil
	}
	if r.tunnel.QFI != 0 {
		gtpu.MarkContainer(c, r.tunnel.QFI, r.tunnel.RQI && r.from == session.Core)
	}
	if ppi, has := r.tunnel.PPI.Value(); has {
		c = gtpu.WithPPI(c, ppi, ContainerMax-2)
	}
	return c
}
