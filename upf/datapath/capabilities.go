package datapath

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/upflab/upflab/upf/session"
)

// Capabilities are what a datapath can do beyond a Datapath's methods. A nil field is something
// that this datapath cannot do; its comment says what follows from that. A datapath that wraps
// another one starts from the other's Capabilities and replaces the fields that it changes.
//
// Functions that are given a callback are called before the first Apply, once at most. The
// callback must not block and must not call the datapath.
type Capabilities struct {
	// Measurer counts the usage of URRs. Without it, rules with URRs that a PDR names are
	// refused.
	Measurer Measurer
	// Resume makes a URR's count continue from u, where an earlier process ended. It is called
	// before the Apply that adds the session. Without it, counts restart at 0.
	Resume func(seid uint64, urr session.URRKey, u session.Usage)
	// Holder hands on the packets of FARs with BUFF or DUPL. Without it, the first are dropped
	// and the second are not copied.
	Holder Holder
	// OnNotice sets the callback for packets that a router has to answer. The callback must
	// not keep the packet. Without it, such packets are dropped silently.
	OnNotice func(func(Notice))
	// OnSlow sets the callback for packets that the rules forward and that the datapath cannot
	// send itself. The callback must not keep the packet. Without it, they are dropped.
	OnSlow func(func(Slow))
	// Inject takes a G-PDU for a known tunnel that the kernel's socket received in the datapath's
	// place, because its outer packet came in fragments or with extension headers: it goes by the
	// rules as if it had come whole. ecn is the field of the outer header. It reports whether the
	// datapath took it. Without it, such packets are lost.
	Inject func(message []byte, from netip.Addr, ecn uint8) bool
	// Persistent lets the datapath forward while no process runs. Without it, packets are lost
	// between two processes.
	Persistent Persistent

	// Workers lists what each thread or CPU did; the list may be empty. It may be called from
	// any goroutine.
	Workers func() []Worker
	// Remarks say, for people, which accelerations are missing on this machine, what is done
	// instead, and why. It may be called from any goroutine.
	Remarks func() []error

	// Signalling and Signalling6 receive and send GTP-U other than G-PDUs on N3's UDP port,
	// IPv4 and IPv6, when the datapath owns that port. The datapath closes them. When nil, the
	// UPF opens the port itself.
	Signalling, Signalling6 net.PacketConn
	// Deliver sets the callback for GTP-U that the datapath received but does not handle:
	// G-PDUs with an unknown TEID, and signalling. The callback must not keep the message.
	// Without it, the kernel delivers such messages to the UPF's socket.
	Deliver func(to func(message []byte, from netip.AddrPort))

	// Watch starts to count packets by tunnel and UE address, until the Watch is closed.
	Watch func() (Watch, error)
	// Capture calls f for each packet with one of the keys, as it arrives and as it leaves,
	// one call at a time, until the returned value is closed. f must not block for long and
	// must not keep the bytes.
	Capture func(of []WatchKey, f func(Seen)) (io.Closer, error)

	// ServeAPI adds the datapath's own paths to the UPF's HTTP API.
	ServeAPI func(*http.ServeMux)
}

// Measurer counts the usage of URRs.
type Measurer interface {
	// Usage returns what a session's URR has counted so far.
	Usage(seid uint64, urr session.URRKey) (session.Usage, error)
	// Mark notes that what was counted so far is reported: First is that of the next packet from then on.
	Mark(seid uint64, urr session.URRKey)
	// SetLimits replaces the limits of a session's URR. Apply sets those of its rules.
	SetLimits(seid uint64, urr session.URRKey, l session.Limits) error
	// OnAlarm sets the callback for URRs that reach their alarm.
	OnAlarm(f func(seid uint64, urr session.URRKey))
}

// Holder hands on packets that are held (FARs with BUFF) and copies of packets (FARs with DUPL).
type Holder interface {
	// OnHold sets the callback for each packet. It must not keep the T-PDU.
	OnHold(f func(Held))
	// Count adds downlink packets to a URR that were held, and then sent by somebody else.
	Count(seid uint64, urr session.URRKey, c session.Count)
}

// Held is a packet that a Holder hands on.
type Held struct {
	SEID uint64
	PDR  uint16
	// Copy: the packet was forwarded, and this is a copy of it as it arrived.
	Copy bool
	// Routed: the kernel has forwarded the packet, and taken from its TTL.
	Routed bool
	// QFI and RQI are those of the packet's PDU session container; 0 and false without one.
	QFI  uint8
	RQI  bool
	TPDU []byte
}

// Slow is a packet that the rules forward, and that is counted as forwarded, but that the datapath
// does not send itself: the kernel has to resolve its next hop, or it does not fit the link and is to
// be fragmented.
type Slow struct {
	// Packet is the IP packet as it leaves, with its outer headers.
	Packet []byte
	// TPDU is where in it the T-PDU begins, an IPv4 packet that is to be fragmented; 0: it is the packet
	// itself that is, with its outer headers where it has some.
	TPDU int
	// GTPU: a GTP-U header is before the T-PDU.
	GTPU bool
	// MTU is what the link takes, octets; 0: the packet fits.
	MTU int
}

// Notice is a packet that was dropped and that a router has to answer: an IPv6 packet of the UE's
// own link, one that does not fit its tunnel, or N6 (of IPv4 with DF), or one without a hop left.
type Notice struct {
	SEID   uint64
	Uplink bool
	// Expired: the packet came with a TTL, or hop limit, of 1 or 0.
	Expired bool
	// MTU is that of the link that the packet does not fit, octets of the T-PDU; 0: the packet
	// expired, or is one of the UE's own link (router solicitation and the like).
	MTU int
	// Packet may be truncated when it does not fit.
	Packet []byte
}

// Persistent is a datapath that forwards without its process, and that a later process can take
// over.
type Persistent interface {
	// Start makes packets follow the rules applied since Open, and no longer those of an
	// earlier process. It is called once.
	Start() error
	// Leave makes Close leave everything as it is, for a later process to take over.
	Leave()
}

// Worker is what one worker of a datapath has done, in packets since Open. A worker is a thread in
// user space, or a CPU that packets are spread among. Received and Sent count both directions;
// packets that were neither sent nor lost were dropped by the rules, or are not the user plane's.
type Worker struct {
	Received, Sent uint64
	// Joined packets entered or left a TUN or TAP device together with others, as one.
	Joined uint64
	// Lost packets were to be sent but the kernel refused them.
	Lost uint64
	// Missed packets found no room where the worker reads, as far as the datapath knows.
	Missed uint64
	// Batches is how often the worker found something to do.
	Batches uint64
}

// Watch is a count under way.
type Watch interface {
	// Counts returns totals since some moment before. A key without packets for long may be
	// absent, and start again at 0.
	Counts() (map[WatchKey]WatchCount, error)
	Close() error
}

// WatchKey tells packets apart: by the TEID of the tunnel that they arrived in, or else by their
// destination, an IPv4 address, or an IPv6 address whose last 64 bits are 0.
type WatchKey struct {
	TEID uint32
	UE   netip.Addr // invalid: by TEID
}

// WatchCount counts packets that arrived, whatever became of them, their octets as they arrived,
// and how many of them were dropped, where the datapath knows.
type WatchCount struct{ Packets, Octets, Dropped uint64 }

// WatchUE is the key of a UE.
func WatchUE(a netip.Addr) WatchKey {
	if a.Is4() {
		return WatchKey{UE: a}
	}
	p, _ := a.Prefix(64) // which an IPv6 address has
	return WatchKey{UE: p.Addr()}
}

// Seen is a packet that was captured.
type Seen struct {
	At      time.Time
	N6      bool   // at N6, otherwise at N3
	Out     bool   // it left there; otherwise it arrived there
	Dropped bool   // the packet that arrived last was dropped; there are no bytes
	Length  int    // of the frame, octets without FCS
	Frame   []byte // its first octets
}
