// Package n3 is the GTP-U endpoint of a UPF's N3 in user space (3GPP TS
// 29.281): what a datapath leaves to the kernel arrives here. It answers Echo
// Requests, answers G-PDUs for unknown tunnels with Error Indications, and counts the
// rest.
package n3

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

// Config is what an Endpoint needs.
type Config struct {
	// Address is the UPF's N3 address: what an Error Indication names.
	Address netip.Addr
	// Conn6 is the socket for IPv6 peers, which the caller closes; nil where N3 has none.
	// Address6 is its address.
	Conn6    net.PacketConn
	Address6 netip.Addr
	// KnownTEID reports whether a session has the local TEID.
	KnownTEID func(uint32) bool
	// PeerPort is where Error Indications and End Markers are sent; 0: 2152
	// (TS 29.281 clause 4.4.2).
	PeerPort uint16
	// TunnelGone, when set, is told of a tunnel that its end knows nothing of. It must
	// not block.
	TunnelGone  func(tunnel session.OuterHeader, now time.Time) bool
	Supervision Supervision
	// Inject, when set, takes a G-PDU for a known tunnel, from a gNB, out of an outer packet of an ECN
	// field: the kernel put it together, or skipped its extension headers. It reports whether it will
	// go by the rules, and must not keep the message.
	Inject func(message []byte, from netip.Addr, ecn uint8) bool
	// Onward, when set, lists the tunnels that packets of a local TEID go into: End
	// Markers go there, too.
	Onward func(teid uint32) []session.OuterHeader
	// NoECN: outer headers have an ECN field of 0 (RFC 6040's compatibility mode).
	NoECN bool
	Log   *slog.Logger // nil: nothing is logged
}

// Endpoint answers on one socket. Its methods may be called from any goroutine.
type Endpoint struct {
	cfg   Config
	conn  net.PacketConn
	inbox chan delivered

	mu       sync.Mutex
	counters Counters
	quota    quota
	paths    map[netip.Addr]*path
	sequence uint16 // of the last Echo Request
}

// Counters are totals in messages.
type Counters struct {
	EchoRequests     uint64 `json:"echo_requests"`
	UnknownTEID      uint64 `json:"unknown_teid"`      // G-PDUs for no tunnel
	ErrorIndications uint64 `json:"error_indications"` // sent
	EndMarkers       uint64 `json:"end_markers"`       // sent
	// DataPackets are G-PDUs that user space sent: those that were buffered. DataBytes are of their T-PDUs.
	DataPackets uint64 `json:"data_packets"`
	DataBytes   uint64 `json:"data_bytes"`
	// Reassembled are G-PDUs for a known tunnel whose outer packet came in fragments, or with IPv6
	// extension headers: they were given to the datapath. Strays are those that it did not take.
	Reassembled uint64 `json:"reassembled"`
	Strays      uint64 `json:"strays"`
	Indicated   uint64 `json:"indicated"` // Error Indications received
	// UnknownExtension are messages with an extension header that has to be understood
	// and is not.
	UnknownExtension uint64 `json:"unknown_extension"`

	EchoesSent    uint64 `json:"echoes_sent"`    // Echo Requests of the UPF's own
	EchoResponses uint64 `json:"echo_responses"` // answers to those
	PathsFailed   uint64 `json:"paths_failed"`   // peers that stopped answering

	Other      uint64 `json:"other"` // other messages, well-formed
	Malformed  uint64 `json:"malformed"`
	SendErrors uint64 `json:"send_errors"`
}

// New makes an endpoint on the socket, which the caller has bound to the N3
// address's port 2152 and closes. It does nothing before Serve.
func New(conn net.PacketConn, cfg Config) *Endpoint {
	if cfg.PeerPort == 0 {
		cfg.PeerPort = gtpu.Port
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.Supervision = cfg.Supervision.withDefaults()
	return &Endpoint{cfg: cfg, conn: conn, inbox: make(chan delivered, inboxMax)}
}

// Counters gives a copy of the counters.
func (e *Endpoint) Counters() Counters {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counters
}

// Serve answers until ctx is done, and then returns nil.
func (e *Endpoint) Serve(ctx context.Context) error {
	var inbox sync.WaitGroup
	defer inbox.Wait()
	inside, cancel := context.WithCancel(ctx) // ended by an error, too
	defer cancel()
	inbox.Go(func() { e.serveInbox(inside) })
	inbox.Go(func() { e.supervise(inside) })
	if e.cfg.Conn6 == nil {
		return e.read(inside, e.conn)
	}
	var six error
	inbox.Go(func() {
		six = e.read(inside, e.cfg.Conn6)
		cancel()
	})
	err := e.read(inside, e.conn)
	cancel()
	inbox.Wait()
	return errors.Join(err, six)
}

// read answers what a socket receives until ctx is done.
func (e *Endpoint) read(ctx context.Context, conn net.PacketConn) error {
	stop := context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	in, out := make([]byte, 65536), make([]byte, 0, 64)
	receive, err := receiver(conn)
	if err != nil {
		e.cfg.Log.Warn("G-PDUs that come in fragments lose their congestion marks", "on", conn.LocalAddr(), "err", err)
	}
	for {
		n, from, ecn, err := receive(in)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read GTP-U on %v: %w", conn.LocalAddr(), err)
		}
		if e.inject(in[:n], addressOf(from), ecn) {
			continue
		}
		answer, toPort := e.receive(out[:0], in[:n], addressOf(from), time.Now())
		if len(answer) > 0 {
			e.send(answer, redirect(from, toPort))
		}
	}
}

// addressOf is the IP address of a peer; invalid when it has none.
func addressOf(a net.Addr) netip.Addr {
	if u, ok := a.(*net.UDPAddr); ok {
		return u.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// redirect gives the address with another port, unless that is 0.
func redirect(to net.Addr, port uint16) net.Addr {
	u, ok := to.(*net.UDPAddr)
	if !ok || port == 0 {
		return to
	}
	return &net.UDPAddr{IP: u.IP, Port: int(port), Zone: u.Zone}
}

func (e *Endpoint) send(b []byte, to net.Addr) {
	conn := e.conn
	if e.cfg.Conn6 != nil && addressOf(to).Is6() {
		conn = e.cfg.Conn6
	}
	if _, err := conn.WriteTo(b, to); err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.counters.SendErrors++
		e.cfg.Log.Debug("send GTP-U", "to", to, "err", err)
	}
}

// EndMarker sends a gNB the end of a tunnel: no more packets come through it (TS
// 29.281 clause 7.3.2).
func (e *Endpoint) EndMarker(tunnel session.OuterHeader) {
	e.mu.Lock()
	e.counters.EndMarkers++
	e.mu.Unlock()
	to := netip.AddrPortFrom(tunnel.Peer, e.cfg.PeerPort)
	e.send(gtpu.AppendEndMarker(nil, tunnel.TEID), net.UDPAddrFromAddrPort(to))
}

// Forward sends a T-PDU into a tunnel.
func (e *Endpoint) Forward(to forward.Tunnel, tpdu []byte) {
	e.mu.Lock()
	e.counters.DataPackets++
	e.counters.DataBytes += uint64(len(tpdu))
	e.mu.Unlock()
	message := append(to.AppendHeader(nil, nil, len(tpdu)), tpdu...)
	at := netip.AddrPortFrom(to.Address(), e.cfg.PeerPort)
	to.NoECN = e.cfg.NoECN
	if tos := to.TOS(tpdu); tos != 0 && e.sendMarked(message, at, tos) {
		return
	}
	e.send(message, net.UDPAddrFromAddrPort(at))
}
