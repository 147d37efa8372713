package n4

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/text/loglimit"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/n4/ask"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/n4/handed"
	"github.com/upflab/upflab/upf/n4/hold"
	"github.com/upflab/upflab/upf/n4/procedure"
	"github.com/upflab/upflab/upf/n4/report"
	"github.com/upflab/upflab/upf/n4/tally"
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
	// N4 is the address in the UP F-SEID, N3 the IPv4 one in F-TEIDs.
	N4, N3 netip.Addr
	// N36 is the IPv6 address in F-TEIDs; invalid where N3 has none.
	N36      netip.Addr
	Datapath datapath.Datapath
	// AllocateUE are the ranges of UE addresses that are given out on request; none when
	// empty. IPv6 prefixes have at most 64 bits.
	AllocateUE []netip.Prefix
	// Predefined are the predefined rules by name, which PDRs may activate.
	Predefined map[string]change.Predefined
	// MaxSessions is how many sessions are accepted; 0 leaves it to the
	// datapath.
	MaxSessions int
	Limits      association.Limits
	// SMFs are the addresses that may set up associations; all when empty. Sets are the SMF sets
	// of some of them; an address is in one at most.
	SMFs      []netip.Prefix
	Sets      []association.SMFSet
	Buffering Buffering
	Heartbeat association.Heartbeat
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
	Keeper     association.Keeper // nil: nothing is kept for a later process
	Log        *slog.Logger       // nil: nothing is logged
}

// Server is the UP function's end of N4. Its methods may be called from any
// goroutine.
//
// Server wires its parts, each of which has a lock for what it keeps. A session has a lock, too,
// which is held while the datapath changes its rules, and is taken before any other. The order of
// the rest is answers, associations, sessions; counters and requests are last.
type Server struct {
	cfg Config                // as it was given, but for the tunables
	can datapath.Capabilities // of cfg.Datapath
	log *slog.Logger

	tally        *tally.Tally
	associations *association.Associations
	sessions     *association.Sessions
	requests     *ask.Requests
	held         *hold.Holding
	reports      *report.Reports
	handed       *handed.Packets
	carry        *procedure.Sessions
	nodes        *procedure.Nodes
	receiver     *receiver

	working sync.WaitGroup
	later   func(func()) // runs what takes long, and must not hold an answer up
}

// New makes a server. It does nothing before Serve.
func New(cfg Config) (*Server, error) {
	switch {
	case cfg.Datapath == nil:
		return nil, errors.New("PFCP server without a datapath")
	case !cfg.N4.IsValid() || cfg.N4.Is4In6():
		return nil, fmt.Errorf("PFCP server with N4 address %v: give an IPv4 or IPv6 address for the UP F-SEID", cfg.N4)
	case !cfg.N3.Is4():
		return nil, fmt.Errorf("PFCP server with N3 address %v: give the IPv4 address that gNBs send to", cfg.N3)
	}
	nodeID := ie.NewNodeIDHeuristic(cfg.NodeID)
	if nodeID == nil {
		return nil, errors.New("PFCP server without a Node ID: give an address or an FQDN")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.ConnectRetry <= 0 {
		cfg.ConnectRetry = procedure.ConnectRetry
	}
	s := &Server{
		cfg: cfg, can: cfg.Datapath.Capabilities(), log: loglimit.Log(cfg.Log),
		tally: tally.New(), sessions: association.NewSessions(cfg.MaxSessions, cfg.AllocateUE),
	}
	s.later = s.working.Go
	s.wire(nodeID)
	return s, nil
}

// wire makes the parts, and has the datapath call them.
func (s *Server) wire(nodeID *ie.IE) {
	cfg := &s.cfg
	later := func(f func()) { s.later(f) }
	meters := &report.Meters{Measurer: s.can.Measurer, Datapath: cfg.Datapath, Sessions: s.sessions, Log: s.log}
	kept := &association.Keeping{To: cfg.Keeper, Counted: meters.Counted, Sessions: s.sessions}
	s.associations = association.New(cfg.Connect, cfg.N4.Is6(), cfg.MaxSessions,
		association.Tunables{SMFs: cfg.SMFs, Sets: cfg.Sets, Limits: cfg.Limits, Heartbeat: cfg.Heartbeat}, kept, s.tally, s.log)
	s.requests = ask.New(s.tally)
	s.held = hold.New(s.can.Holder, cfg.Buffering == BufferHold, cfg.Forward, s.tally)
	answering := &procedure.Answers{
		Associations: s.associations, Sessions: s.sessions, Log: s.log, Tally: s.tally, NodeID: nodeID, Started: pfcp.Timestamp(time.Now()),
	}
	s.nodes = &procedure.Nodes{
		Offers: procedure.Features(s.held.Holder != nil, s.can.Measurer != nil, len(cfg.AllocateUE) > 0, len(cfg.Predefined) > 0),
		Retry:  cfg.ConnectRetry, Later: later, Log: s.log, Answers: answering,
		Associations: s.associations, Sessions: s.sessions, Requests: s.requests, Kept: kept,
	}
	s.reports = &report.Reports{
		Meters: meters, Sessions: s.sessions, Associations: s.associations, Kept: kept, Six: cfg.N4.Is6(), NodeID: nodeID,
		Ask: s.nodes.Ask, Later: later, Log: s.log, Tally: s.tally, Alarms: make(chan uint64, 1024),
	}
	s.reports.Timers.Began = time.Now()
	s.carry = &procedure.Sessions{
		Can: s.can, Datapath: cfg.Datapath, N4: cfg.N4, EndMarker: cfg.EndMarker, Log: s.log, Answers: answering,
		Maker: s.maker(), Associations: s.associations, Sessions: s.sessions, Held: s.held, Meters: meters, Reports: s.reports, Kept: kept,
	}
	s.nodes.Carry = s.carry
	s.handed = &handed.Packets{
		Sessions: s.sessions, Held: s.held, Reports: s.reports, N3: cfg.N3, Forward: cfg.Forward, SendICMP: cfg.SendICMP,
		SendICMPv6: cfg.SendICMPv6, Tally: s.tally, Notices: make(chan datapath.Notice, 256),
	}
	s.receiver = &receiver{
		answers:  &answers{associations: s.associations, Tally: s.tally, replies: pfcp.NewReplies[association.Subject]()},
		requests: s.requests, nodes: s.nodes, carry: s.carry, Answers: answering,
	}
	if s.can.OnNotice != nil {
		s.can.OnNotice(s.handed.Noticed)
	}
	if s.can.Measurer != nil {
		s.can.Measurer.OnAlarm(s.reports.Alarm)
	}
}

// maker makes the rules of sessions.
func (s *Server) maker() *change.Maker {
	m := &change.Maker{
		TEIDs: s.sessions.TEIDs, Addresses: s.sessions.Addresses, Predefined: s.cfg.Predefined, N3: s.cfg.N3, N36: s.cfg.N36,
		Offers: s.held.Offers(),
	}
	if m.Offers&session.Buffer == 0 && s.cfg.Buffering != BufferRefuse {
		m.DropInstead = s.held.DropInstead
	}
	return m
}

// HasTEID reports whether a session has the local TEID.
func (s *Server) HasTEID(teid uint32) bool {
	return s.sessions.TEIDs.Has(teid)
}

// Reload replaces the tunables. What is there stays, also where it is more than the new
// limits allow, and an association of an address that is not in SMFs any more.
func (s *Server) Reload(t association.Tunables) {
	s.associations.Reload(t)
}

// Counters returns a copy of the counters.
func (s *Server) Counters() tally.Counters {
	var c tally.Counters
	s.tally.Count(func(total *tally.Counters) {
		c = *total
		c.Rejected, c.EstablishRejected = maps.Clone(c.Rejected), maps.Clone(c.EstablishRejected)
	})
	c.Associations, c.Sessions = s.associations.Len(), s.sessions.Len()
	return c
}

// KeepAll keeps all sessions as they are now, with what was counted. It is for a UPF that
// is about to be replaced.
func (s *Server) KeepAll() { s.carry.KeepAll() }

// Restore brings back what was kept, with the Recovery Time Stamp of then: to CP
// functions the UPF did not restart. A session that the datapath refuses now is dropped
// and logged. It is called once, before Serve.
func (s *Server) Restore(k procedure.Kept) procedure.Restored { return s.carry.Restore(k) }

// Leave asks every CP function to release its association (TS 29.244 clause 6.2.7.3),
// and waits until they have, for as long as the period at most or until ctx is done. It
// takes no new sessions and associations meanwhile. Serve is running.
func (s *Server) Leave(ctx context.Context, period time.Duration) { s.nodes.Leave(ctx, period) }

// Recovery is the Recovery Time Stamp that CP functions are given.
func (s *Server) Recovery() uint32 { return s.carry.Started }
