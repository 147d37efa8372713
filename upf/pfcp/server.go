package pfcp

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/loglimit"
	"github.com/upflab/upflab/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

// Buffering says what becomes of a FAR that asks to buffer.
type Buffering uint8

// The ways.
const (
	// BufferRefuse answers with the cause "Rule creation/modification Failure".
	BufferRefuse Buffering = iota
	// BufferDrop accepts and drops until the FAR is changed, so that an SMF
	// that starts a session with BUFF before it knows the gNB can be served.
	// Such packets count as "FAR drop".
	BufferDrop
	// BufferHold holds the packets, up to a number and as a BAR says, tells the CP
	// function, and sends them when the FAR forwards. A datapath that hands no packets
	// on has them dropped, as BufferDrop.
	BufferHold
)

// Config is what a Server needs.
type Config struct {
	// NodeID is the UP function's Node ID: an IPv4 or IPv6 address or an FQDN
	// (TS 29.244 clause 8.2.38).
	NodeID string
	// N4 is the address in the UP F-SEID, N3 the one in F-TEIDs; both IPv4.
	N4, N3 netip.Addr
	// N36 is the IPv6 address in F-TEIDs; invalid where N3 has none.
	N36      netip.Addr
	Datapath datapath.Datapath
	// AllocateUE are the ranges of UE addresses that are given out on request; none when
	// empty. IPv6 prefixes have at most 64 bits.
	AllocateUE []netip.Prefix
	// MaxSessions is how many sessions are accepted; 0 leaves it to the
	// datapath.
	MaxSessions int
	Limits      Limits
	// SMFs are the addresses that may set up associations; all when empty.
	SMFs      []netip.Prefix
	Buffering Buffering
	Heartbeat Heartbeat
	// Connect are the CP functions that the server sets associations up with itself,
	// again ConnectRetry after that failed or the association ended; 0: 5 s.
	Connect      []netip.AddrPort
	ConnectRetry time.Duration
	// EndMarker, when set, is called for each tunnel that ends at a gNB when
	// the CP function asks for End Markers (TS 29.244 clause 5.2.3.2). It must
	// not block and not call the Server.
	EndMarker func(session.OuterHeader)
	// Forward sends a T-PDU that was held into a tunnel. It must not block and not call
	// the Server.
	Forward func(to forward.Tunnel, tpdu []byte)
	// SendICMP sends an ICMP message, with its checksum, from N6; nil: none are sent.
	SendICMP func(to netip.Addr, message []byte)
	// SendICMPv6 sends an ICMPv6 message, without its checksum, from N6; nil: none are sent.
	// It must not block and not call the Server.
	SendICMPv6 func(to netip.Addr, message []byte)
	Keeper     Keeper       // nil: nothing is kept for a later process
	Log        *slog.Logger // nil: nothing is logged
}

// Heartbeat says whether and how CP functions are asked if they live (TS
// 29.244 clause 6.2.2). Their own requests are always answered.
type Heartbeat struct {
	Interval time.Duration // between two requests; 0: none are sent
	T1       time.Duration // until a request is sent again; 0: 1 s
	N1       int           // how often it is sent again; 0: 3
	Port     uint16        // of the CP function; 0: 8805
}

// Server is the UP function's end of N4. Its methods may be called from any
// goroutine.
//
// Each session has a lock, which is held while the datapath changes its
// rules. The server's lock is for what is looked up and counted: it is never held
// over a call of the datapath, so heartbeats are answered whatever sessions do.
// A session's lock is taken first.
type Server struct {
	cfg     Config
	can     datapath.Capabilities // of cfg.Datapath
	log     *slog.Logger
	nodeID  *ie.IE
	started uint32 // Recovery Time Stamp

	mu         sync.Mutex
	nodes      map[string]*association
	sources    map[netip.Addr]*usage  // what each address has
	sessions   map[uint64]*pduSession // by the UP function's SEID
	teids      *teids                 // locks itself
	addresses  *addresses             // of UEs, the same
	replies    *pfcp.Replies[subject]
	counters   Counters
	beatSeq    pfcp.Sequence
	random     func() uint64                     // of SEIDs
	requests   map[uint32]*request               // the server's own, by sequence number
	transmit   func(b []byte, to netip.AddrPort) // nil before Serve
	timers     timers                            // lock themselves
	arrivals   chan datapath.Held
	copies     chan datapath.Held
	notices    chan datapath.Notice
	heldOctets atomic.Int64
	alarms     chan uint64 // sessions whose URRs reached a limit
	remotes    *remotes    // locks itself
	// connections are CP functions to set associations up with.
	connections []*connection
	leaving     bool // no new associations and sessions

	working sync.WaitGroup
	later   func(func()) // runs what takes long, and must not hold an answer up
}

// New makes a server. It does nothing before Serve.
func New(cfg Config) (*Server, error) {
	switch {
	case cfg.Datapath == nil:
		return nil, errors.New("PFCP server without a datapath")
	case !cfg.N4.Is4():
		return nil, fmt.Errorf("PFCP server with N4 address %v: give an IPv4 address for the UP F-SEID", cfg.N4)
	case !cfg.N3.Is4():
		return nil, fmt.Errorf("PFCP server with N3 address %v: give the IPv4 address that gNBs send to", cfg.N3)
	}
	nodeID := ie.NewNodeIDHeuristic(cfg.NodeID)
	if nodeID == nil {
		return nil, errors.New("PFCP server without a Node ID: give an address or an FQDN")
	}
	log := cfg.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	cfg.Heartbeat = cfg.Heartbeat.withDefaults()
	cfg.Limits = cfg.Limits.withDefaults()
	if cfg.ConnectRetry <= 0 {
		cfg.ConnectRetry = connectRetry
	}
	s := &Server{
		cfg: cfg, log: loglimit.Log(log), nodeID: nodeID, started: pfcp.Timestamp(time.Now()),
		nodes: map[string]*association{}, sources: map[netip.Addr]*usage{}, sessions: map[uint64]*pduSession{},
		teids: newTEIDs(), addresses: newAddresses(cfg.AllocateUE), replies: pfcp.NewReplies[subject](),
		counters: Counters{Rejected: map[string]uint64{}, EstablishRejected: map[string]uint64{}}, random: randomSEID,
	}
	s.later, s.timers.began = s.working.Go, time.Now()
	s.requests, s.alarms = map[uint32]*request{}, make(chan uint64, 1024)
	s.arrivals, s.remotes = make(chan datapath.Held, 1024), newRemotes()
	s.copies = make(chan datapath.Held, 1024)
	s.notices = make(chan datapath.Notice, 256)
	s.can = cfg.Datapath.Capabilities()
	if s.can.OnNotice != nil {
		s.can.OnNotice(s.noticed)
	}
	for _, to := range cfg.Connect {
		s.connections = append(s.connections, &connection{to: to})
	}
	if s.can.Holder != nil {
		s.can.Holder.OnHold(s.arrived)
	}
	if s.can.Measurer != nil {
		s.can.Measurer.OnAlarm(s.alarm)
	}
	return s, nil
}

// HasTEID reports whether a session has the local TEID.
func (s *Server) HasTEID(teid uint32) bool {
	return s.teids.has(teid)
}
