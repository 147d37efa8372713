package n4load

import (
	"errors"
	"net"
	"runtime"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/pfcp"
)

// Responder is a UPF's N4 without a UPF: it accepts every request and keeps nothing. What
// a load reaches against it is the load's own limit.
type Responder struct {
	conn *net.UDPConn
	done chan struct{}
}

// NewResponder answers on conn, which it owns, from a thread on a CPU; -1: on any.
func NewResponder(conn *net.UDPConn, cpu int) *Responder {
	r := &Responder{conn: conn, done: make(chan struct{})}
	go r.run(cpu)
	return r
}

// Close ends it.
func (r *Responder) Close() error {
	err := r.conn.Close()
	<-r.done
	return err
}

func (r *Responder) run(cpu int) {
	runtime.LockOSThread() // never unlocked: the thread is pinned and ends here
	defer close(r.done)
	if cpu >= 0 {
		var set unix.CPUSet
		set.Set(cpu)
		_ = unix.SchedSetaffinity(0, &set) // anywhere, then
	}
	var m pfcp.Builder
	buf := make([]byte, 1<<16)
	for {
		n, from, err := r.conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		h, ies, _, err := pfcp.Parse(buf[:n])
		if err != nil || h.Type.IsResponse() {
			continue
		}
		_, _ = r.conn.WriteToUDPAddrPort(accepted(&m, h, ies), from) // a lost answer is the asker's
	}
}

// accepted is the answer to a request. The UP SEID of a session is its CP SEID.
func accepted(m *pfcp.Builder, h pfcp.Header, ies []byte) []byte {
	seid := h.SEID
	if h.Type == pfcp.SessionEstablishmentRequest {
		seid = cpSEID(ies)
	}
	m.Begin(pfcp.Header{Type: h.Type + 1, SEID: seid, Sequence: h.Sequence})
	if h.Type == pfcp.HeartbeatRequest {
		m.IE32(ie.RecoveryTimeStamp, 1)
		return m.Bytes()
	}
	m.IE(ie.NodeID, 0, 127, 0, 0, 2)
	m.IE(ie.Cause, ie.CauseRequestAccepted)
	switch h.Type {
	case pfcp.AssociationSetupRequest:
		m.IE32(ie.RecoveryTimeStamp, 1)
	case pfcp.SessionEstablishmentRequest:
		at := m.Open(ie.FSEID)
		m.Octets(2)
		m.Uint64(seid)
		m.Octets(127, 0, 0, 2)
		m.Close(at)
	}
	return m.Bytes()
}

// cpSEID is that of the CP F-SEID.
func cpSEID(ies []byte) (seid uint64) {
	for len(ies) >= 4 {
		end := 4 + (int(ies[2])<<8 | int(ies[3]))
		if end > len(ies) {
			return 0
		}
		if typ := int(ies[0])<<8 | int(ies[1]); typ == int(ie.FSEID) && end >= 13 {
			for _, o := range ies[5:13] {
				seid = seid<<8 | uint64(o)
			}
			return seid
		}
		ies = ies[end:]
	}
	return 0
}
