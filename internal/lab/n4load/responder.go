package n4load

import (
	"errors"
	"net"
	"net/netip"
	"os"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/socket/n4socket"
	"github.com/upflab/upflab/internal/socket/threads"
)

// Responder answers like the N4 of a UPF without being one: it accepts every request and keeps nothing. The
// rate that a load reaches against it is the limit of the load itself.
type Responder struct {
	socket *n4socket.Socket
	done   chan struct{}
}

// NewResponder answers on conn, which it owns, from a thread that has priority on a CPU; -1 means any CPU and
// no priority.
func NewResponder(conn *net.UDPConn, cpu int) (*Responder, error) {
	socket, err := n4socket.Take(conn)
	if err != nil {
		return nil, err
	}
	r := &Responder{socket: socket, done: make(chan struct{})}
	threads.Once(func() {
		defer close(r.done)
		if cpu >= 0 {
			threads.GoFirst(cpu)
		}
		r.run()
	})
	return r, nil
}

// Close stops the responder and closes its connection.
func (r *Responder) Close() error {
	r.socket.Stop()
	<-r.done
	return r.socket.Close()
}

func (r *Responder) run() {
	var m pfcp.Builder
	buf := make([]byte, 1<<16)
	for {
		n, from, _, err := r.socket.Read(buf)
		switch {
		case err == nil:
			r.respond(&m, buf[:n], from)
		case errors.Is(err, os.ErrDeadlineExceeded): // it was stopped
			return
		}
	}
}

func (r *Responder) respond(m *pfcp.Builder, request []byte, from netip.AddrPort) {
	h, ies, _, err := pfcp.Parse(request)
	if err != nil || h.Type.IsResponse() {
		return
	}
	_ = r.socket.Write(accepted(m, h, ies), from) // a lost answer is the asker's
}

// accepted is the answer to a request. The UP SEID of a session is its CP SEID.
func accepted(m *pfcp.Builder, h pfcp.Header, ies []byte) []byte {
	seid, self := h.SEID, netip.AddrFrom4([4]byte{127, 0, 0, 2})
	if h.Type == pfcp.SessionEstablishmentRequest {
		var request smf.Message
		_ = request.Read(h, ies, smf.Tolerant)
		seid = request.SEID
	}
	m.Begin(pfcp.Header{Type: h.Type + 1, SEID: seid, Sequence: h.Sequence})
	if h.Type == pfcp.HeartbeatRequest {
		m.IE32(ie.RecoveryTimeStamp, 1)
		return m.Bytes()
	}
	smf.WriteNodeID(m, self)
	m.IE(ie.Cause, ie.CauseRequestAccepted)
	switch h.Type {
	case pfcp.AssociationSetupRequest:
		m.IE32(ie.RecoveryTimeStamp, 1)
	case pfcp.SessionEstablishmentRequest:
		smf.WriteFSEID(m, seid, self)
	}
	return m.Bytes()
}
