package n4faults

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// elsewhere answers from the other socket. Another port is accepted, so that it
// can be done always; from another address it is the first answer only.
func (l *faulty) elsewhere(a answer) error {
	if l.sameAddress() || l.once(a) {
		_, err := l.other.WriteTo(a.b, a.to)
		return err
	}
	return l.send(a.b, a.to)
}

func (l *faulty) sameAddress() bool {
	here, _ := netip.ParseAddrPort(l.LocalAddr().String())
	there, _ := netip.ParseAddrPort(l.other.LocalAddr().String())
	return here.Addr() == there.Addr()
}

// oneSEID overwrites the UP F-SEID (TS 29.244 clause 8.2.37).
func (l *faulty) oneSEID(a answer) error {
	if f := find(a.ies, ie.FSEID); len(f) >= 9 {
		if l.firstSEID == 0 {
			l.firstSEID = binary.BigEndian.Uint64(f[1:])
		}
		binary.BigEndian.PutUint64(f[1:], l.firstSEID)
	}
	return l.send(a.b, a.to)
}

// oneTEID overwrites the F-TEID in the first Created PDR (clause 8.2.3).
func (l *faulty) oneTEID(a answer) error {
	if f := find(find(a.ies, ie.CreatedPDR), ie.FTEID); len(f) > 0 {
		if l.firstTEID == nil {
			l.firstTEID = append(l.firstTEID, f...)
		}
		copy(f, l.firstTEID)
	}
	return l.send(a.b, a.to)
}

// find returns the octets of the first IE of the type, nil when there is none.
func find(ies []byte, typ uint16) []byte {
	for len(ies) >= 4 {
		end := 4 + int(binary.BigEndian.Uint16(ies[2:]))
		if end > len(ies) {
			return nil
		}
		if binary.BigEndian.Uint16(ies) == typ {
			return ies[4:end]
		}
		ies = ies[end:]
	}
	return nil
}

// unasked has to come first: afterwards the SMF may have no request that waits,
// and be gone.
func (l *faulty) unasked(a answer) error {
	if err := l.send(l.heartbeat(pfcp.HeartbeatResponse, a, time.Now()), a.to); err != nil {
		return err
	}
	return l.send(a.b, a.to)
}

func (l *faulty) malformed(a answer) error {
	if err := l.send(a.b[:len(a.b)/2], a.to); err != nil {
		return err
	}
	return l.send(a.b, a.to)
}

func (l *faulty) restarted(a answer) error {
	if err := l.send(l.heartbeat(pfcp.HeartbeatRequest, a, time.Now().Add(time.Hour)), a.to); err != nil {
		return err
	}
	return l.send(a.b, a.to)
}

// heartbeat is one with a sequence number of no request.
func (l *faulty) heartbeat(typ pfcp.MessageType, a answer, started time.Time) []byte {
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: typ, Sequence: a.Sequence ^ 1<<23})
	m.IE32(ie.RecoveryTimeStamp, pfcp.Timestamp(started))
	return m.Bytes()
}
