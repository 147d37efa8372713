package pfcp

import (
	"cmp"
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
	Predefined map[string]Predefined
	// MaxSessions is how many sessions are accepted; 0 leaves it to the
	// datapath.
	MaxSessions int
	Limits      Limits
	// SMFs are the addresses that may set up associations; all when empty. Sets are the SMF sets
	// of some of them; an address is in one at most.
	SMFs      []netip.Prefix
	Sets      []SMFSet
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
// Server wires its parts, each of which has a lock for what it keeps. A session has a lock, too,
// which is held while the datapath changes its rules, and is taken before any other. The order of
// the rest is answers, associations, sessions; counters and requests are last.
type Server struct {
	cfg Config                // as it was given, but for the tunables
	can datapath.Capabilities // of cfg.Datapath
	log *slog.Logger

	*tally
	associations *associations
	sessions     *sessions
	requests     *requests
	held         *holding
	reports      *reports
	handed       *handed
	carry        *carrier
	nodes        *nodes
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
		cfg.ConnectRetry = connectRetry
	}
	s := &Server{
		cfg: cfg, can: cfg.Datapath.Capabilities(), log: loglimit.Log(cfg.Log),
		tally: newTally(), sessions: newSessions(cfg.MaxSessions, cfg.AllocateUE),
	}
	s.later = s.working.Go
	s.wire(nodeID)
	return s, nil
}

// wire makes the parts, and has the datapath call them.
func (s *Server) wire(nodeID *ie.IE) {
	cfg := &s.cfg
	later := func(f func()) { s.later(f) }
	meters := &meters{measurer: s.can.Measurer, datapath: cfg.Datapath, sessions: s.sessions, log: s.log}
	kept := &keeping{to: cfg.Keeper, counted: meters.counted, sessions: s.sessions}
	s.associations = newAssociations(cfg.Connect, cfg.N4.Is6(), cfg.MaxSessions,
		Tunables{cfg.SMFs, cfg.Sets, cfg.Limits, cfg.Heartbeat}, kept, s.tally, s.log)
	s.requests = newRequests(s.tally)
	s.held = newHolding(s.can.Holder, cfg.Buffering == BufferHold, cfg.Forward, s.tally)
	answering := &answering{
		associations: s.associations, sessions: s.sessions, log: s.log, tally: s.tally, nodeID: nodeID, started: pfcp.Timestamp(time.Now()),
	}
	s.nodes = &nodes{
		offers: announced(s.held.holder != nil, s.can.Measurer != nil, len(cfg.AllocateUE) > 0, len(cfg.Predefined) > 0),
		retry:  cfg.ConnectRetry, later: later, log: s.log, answering: answering,
		associations: s.associations, sessions: s.sessions, requests: s.requests, kept: kept,
	}
	s.reports = &reports{
		meters: meters, sessions: s.sessions, associations: s.associations, kept: kept, six: cfg.N4.Is6(), nodeID: nodeID,
		ask: s.nodes.ask, later: later, log: s.log, tally: s.tally, alarms: make(chan uint64, 1024),
	}
	s.reports.timers.began = time.Now()
	s.carry = &carrier{
		can: s.can, datapath: cfg.Datapath, n4: cfg.N4, endMarker: cfg.EndMarker, log: s.log, answering: answering,
		maker: s.maker(), associations: s.associations, sessions: s.sessions, held: s.held, meters: meters, reports: s.reports, kept: kept,
	}
	s.nodes.carry = s.carry
	s.handed = &handed{
		sessions: s.sessions, held: s.held, reports: s.reports, n3: cfg.N3, forward: cfg.Forward, sendICMP: cfg.SendICMP,
		sendICMPv6: cfg.SendICMPv6, tally: s.tally, notices: make(chan datapath.Notice, 256),
	}
	s.receiver = &receiver{
		answers:  &answers{associations: s.associations, tally: s.tally, replies: pfcp.NewReplies[subject]()},
		requests: s.requests, nodes: s.nodes, carry: s.carry, answering: answering,
	}
	if s.can.OnNotice != nil {
		s.can.OnNotice(s.handed.noticed)
	}
	if s.can.Measurer != nil {
		s.can.Measurer.OnAlarm(s.reports.alarm)
	}
}

// maker makes the rules of sessions.
func (s *Server) maker() *maker {
	m := &maker{
		teids: s.sessions.teids, addresses: s.sessions.addresses, predefined: s.cfg.Predefined, n3: s.cfg.N3, n36: s.cfg.N36,
		offers: s.held.offers(),
	}
	if m.offers&session.Buffer == 0 && s.cfg.Buffering != BufferRefuse {
		m.dropInstead = s.held.dropInstead
	}
	return m
}

// HasTEID reports whether a session has the local TEID.
func (s *Server) HasTEID(teid uint32) bool {
	return s.sessions.teids.has(teid)
}

// Limits bound what peers can make the server keep. 0 is the default.
type Limits struct {
	// Rules is how many PDRs, how many FARs and how many QERs a session may have:
	// 256.
	Rules int
	// Associations is how many Node IDs one address may have associations for: 16.
	Associations int
	// Sessions is how many sessions the associations of one address may have
	// together: Config.MaxSessions.
	Sessions int
	// Filters is how much the rules of the sessions of one address may take together in a
	// datapath's tables beyond an ordinary session each, as filtersOf counts:
	// Config.MaxSessions or, when it is 0, 65536; 1024 at least.
	Filters int
}

// Limits that are not configured.
const (
	// maxAssociations bounds those of all addresses.
	maxAssociations = 1024
	// leastFilters is how many filters the sessions of one address may have where few
	// sessions are expected.
	leastFilters = 1024
)

func (l Limits) withDefaults(maxSessions int) Limits {
	if l.Rules <= 0 {
		l.Rules = 256
	}
	if l.Associations <= 0 {
		l.Associations = 16
	}
	if l.Filters <= 0 {
		l.Filters = max(cmp.Or(maxSessions, 1<<16), leastFilters)
	}
	return l
}

// Tunables are the parts of a Config that may change while sessions go on.
type Tunables struct {
	SMFs      []netip.Prefix
	Sets      []SMFSet
	Limits    Limits
	Heartbeat Heartbeat
}

// Reload replaces the tunables. What is there stays, also where it is more than the new
// limits allow, and an association of an address that is not in SMFs any more.
func (s *Server) Reload(t Tunables) {
	s.associations.reload(t)
}

// Counters are totals since the server was made, in messages unless said
// otherwise, and two gauges.
type Counters struct {
	Received      uint64 `json:"received"`
	Sent          uint64 `json:"sent"`
	SendErrors    uint64 `json:"send_errors"`
	Malformed     uint64 `json:"malformed"`      // header or length wrong, or the decoder gave up
	DecoderPanics uint64 `json:"decoder_panics"` // part of Malformed
	OtherVersion  uint64 `json:"other_version"`
	UnknownType   uint64 `json:"unknown_type"`
	Unexpected    uint64 `json:"unexpected"` // known, but not for a UP function or not now
	Repeated      uint64 `json:"repeated"`   // requests answered from memory
	NotOwner      uint64 `json:"not_owner"`  // from who does not own the association or session, or may not set one up
	Overrun       uint64 `json:"overrun"`    // discarded: too many requests waited

	Heartbeats  uint64 `json:"heartbeats"` // requests received
	Established uint64 `json:"established"`
	// EstablishRequests and EstablishRejected are of Session Establishment Requests, the
	// latter by name of the cause.
	EstablishRequests uint64            `json:"establish_requests"`
	EstablishRejected map[string]uint64 `json:"establish_rejected"`
	Modified          uint64            `json:"modified"`
	Deleted           uint64            `json:"deleted"`        // sessions, whatever ended them
	Rejected          map[string]uint64 `json:"rejected"`       // by name of the cause
	BufferDrop        uint64            `json:"buffer_as_drop"` // FARs that asked for BUFF and drop instead

	Buffered   uint64 `json:"buffered"`    // downlink packets that were held
	BufferSent uint64 `json:"buffer_sent"` // held packets that were sent
	BufferLost uint64 `json:"buffer_lost"` // those that there was no room for, or no tunnel

	CopiesSent uint64 `json:"copies_sent"` // of packets of FARs with DUPL
	CopiesLost uint64 `json:"copies_lost"` // packets that were not copied: too many waited

	Advertised uint64 `json:"advertised"`   // answers to UEs' neighbour discovery, Router Advertisements above all
	TooBigSent uint64 `json:"too_big_sent"` // ICMPv6 Packet Too Big, to UEs and to hosts on N6, and ICMP Fragmentation Needed to the latter
	// ExpiredSent counts ICMP and ICMPv6 Time Exceeded to UEs.
	ExpiredSent uint64 `json:"expired_sent"`

	Reports     uint64 `json:"reports"`      // Session Report Requests
	NodeReports uint64 `json:"node_reports"` // Node Report Requests: of paths that failed, or are back
	ReportsLost uint64 `json:"reports_lost"` // those of either kind that were never answered

	ReportsAnswered uint64 `json:"reports_answered"`

	Associations int `json:"associations"` // now
	Sessions     int `json:"sessions"`     // now
}

func (c *Counters) reject(of pfcp.MessageType, cause uint8) {
	c.Rejected[pfcp.Cause(cause).String()]++
	if of == pfcp.SessionEstablishmentRequest {
		c.EstablishRejected[pfcp.Cause(cause).String()]++
	}
}

// tally is what was counted so far. Its lock is held for no call but that of the change.
type tally struct {
	counting sync.Mutex
	total    Counters
}

func newTally() *tally {
	return &tally{total: Counters{Rejected: map[string]uint64{}, EstablishRejected: map[string]uint64{}}}
}

// count changes the counters.
func (t *tally) count(change func(*Counters)) {
	t.counting.Lock()
	defer t.counting.Unlock()
	change(&t.total)
}

// Counters returns a copy of the counters.
func (s *Server) Counters() Counters {
	var c Counters
	s.count(func(total *Counters) {
		c = *total
		c.Rejected, c.EstablishRejected = maps.Clone(c.Rejected), maps.Clone(c.EstablishRejected)
	})
	c.Associations, c.Sessions = s.associations.len(), s.sessions.len()
	return c
}

// KeepAll keeps all sessions as they are now, with what was counted. It is for a UPF that
// is about to be replaced.
func (s *Server) KeepAll() { s.carry.keepAll() }

// Restore brings back what was kept, with the Recovery Time Stamp of then: to CP
// functions the UPF did not restart. A session that the datapath refuses now is dropped
// and logged. It is called once, before Serve.
func (s *Server) Restore(k Kept) Restored { return s.carry.restore(k) }

// Leave asks every CP function to release its association (TS 29.244 clause 6.2.7.3),
// and waits until they have, for as long as the period at most or until ctx is done. It
// takes no new sessions and associations meanwhile. Serve is running.
func (s *Server) Leave(ctx context.Context, period time.Duration) { s.nodes.leave(ctx, period) }
