package n4

import (
	"context"
	"errors"
	"net"
	"slices"
	"syscall"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// passing reports whether a later try may succeed: the UPF's port is closed for now.
func passing(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOBUFS)
}

func (p *Peer) receive() {
	defer close(p.done)
	b := make([]byte, 1<<16)
	for {
		n, from, err := p.conn.ReadFrom(b)
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			time.Sleep(time.Millisecond)
		default:
			p.handle(append([]byte(nil), b[:n]...), from)
		}
	}
}

func (p *Peer) handle(b []byte, from net.Addr) {
	h, _, _, err := pfcp.Parse(b)
	if err != nil && !errors.Is(err, pfcp.ErrVersion) {
		return
	}
	if h.Type.IsResponse() || h.Type == pfcp.VersionNotSupported {
		p.mu.Lock()
		answer, watch := p.waiting[h.Sequence], p.watch
		p.mu.Unlock()
		switch {
		case answer != nil:
			select {
			case answer <- b:
			default:
			}
		case watch != nil:
			watch(b)
		}
		return
	}
	p.request(h, b, from)
}

// request answers what the UPF asks. The answer to a report goes to the SEID of the UPF,
// which the report does not have: it is looked up by whoever established the session.
func (p *Peer) request(h pfcp.Header, b []byte, from net.Addr) {
	var m pfcp.Builder
	answer := pfcp.Header{Type: h.Type + 1, Sequence: h.Sequence}
	switch h.Type {
	case pfcp.HeartbeatRequest:
		m.Begin(answer)
		m.IE32(ie.RecoveryTimeStamp, pfcp.Timestamp(p.Started()))
	case pfcp.SessionReportRequest:
		answer.SEID = p.keep(h, b)
		m.Begin(answer)
		m.IE(ie.Cause, ie.CauseRequestAccepted)
	default:
		p.mu.Lock()
		p.requests = append(p.requests, h.Type)
		p.mu.Unlock()
		m.Begin(answer)
		at := m.Open(ie.NodeID)
		m.Octets(0)
		m.Addr(p.Node)
		m.Close(at)
		m.IE(ie.Cause, ie.CauseRequestAccepted)
		if h.Type == pfcp.AssociationSetupRequest {
			m.IE32(ie.RecoveryTimeStamp, pfcp.Timestamp(p.Started()))
		}
	}
	p.conn.WriteTo(m.Bytes(), from) // the UPF asks again where that fails
}

// AwaitSetup waits until the UPF has set up an association.
func (p *Peer) AwaitSetup(ctx context.Context, within time.Duration) bool {
	for end := time.Now().Add(within); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		p.mu.Lock()
		there := slices.Contains(p.requests, pfcp.AssociationSetupRequest)
		p.mu.Unlock()
		if there {
			return true
		}
	}
	return false
}
