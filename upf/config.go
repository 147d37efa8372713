package upf

import (
	_ "embed"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n3"
	"github.com/upflab/upflab/upf/n4"
)

// Config configures the reference UPF. ParseConfig reads it from YAML, whose
// keys are given here; a Config made by hand is checked by New.
type Config struct {
	// NodeID, node_id: the Node ID in PFCP, an IPv4 or IPv6 address or an FQDN.
	// When empty it is N4's address.
	NodeID string
	N4     N4
	N3     N3
	N6     N6
	// Datapath says what moves the packets.
	Datapath Datapath
	// AllocateUE, allocate_ue: the ranges of UE addresses that the UPF gives out when an SMF
	// asks for it; within UEPools where there are any. Of IPv6 a UE gets 64 bits.
	AllocateUE []netip.Prefix
	// Predefined, predefined_rules: rules that PDRs activate by name.
	Predefined map[string]n4.Predefined
	// UEPools, ue_pool: where UE addresses come from. The UPF does not
	// give addresses out; a datapath uses the pools to count packets for
	// UEs without a session.
	UEPools []netip.Prefix
	// Limits, limits: {rules, associations, sessions}. What one session, and the
	// associations of one address, may have.
	Limits n4.Limits
	// Allow, allow: exceptions from what the datapath drops.
	Allow Allow
	// NoECN, ecn: compatibility: outer headers have an ECN field of 0; with normal, the default,
	// that of the T-PDU (RFC 6040 clause 4.1).
	NoECN bool
	// MaxSessions, max_sessions: 1..4194304; 65536 when absent.
	MaxSessions int
	// Heartbeat, heartbeat: {interval, t1, n1}. With an interval of 0, the
	// default, no heartbeats are sent to CP functions; theirs are answered.
	Heartbeat n4.Heartbeat
	// SMFs, smf: CP functions that the UPF sets associations up with itself, IPv4
	// addresses and ports; 8805 when the port is absent.
	SMFs []netip.AddrPort
	// GracefulRelease, graceful_release: how long the UPF, when it is stopped, waits for
	// CP functions to release their associations, which it asks them for. 0, the
	// default: it does not.
	GracefulRelease time.Duration
	// Realtime, realtime: the UPF's threads go before all threads of normal priority on
	// their CPUs (SCHED_RR, priority 1), where that is allowed.
	Realtime bool
	// Echo, echo: {interval, t3, n3}. With an interval of 0, the default, GTP-U peers are
	// not asked whether they live; their own Echo Requests are answered.
	Echo n3.Supervision
	// Buffering, buffering: "hold" (the default), "drop" or "refuse", for FARs that ask
	// to buffer.
	Buffering n4.Buffering
	// LogLevel, log_level: debug, info (the default), warn or error.
	LogLevel slog.Level
	// LogJSON, log_format: text (the default) or json. It is for whoever makes the logger.
	LogJSON bool
	// Socket, socket: path of the Unix socket that programs on this machine ask, as
	// `upflab upf sessions` does. None when empty.
	Socket string
	// API, api.address: where GET /counters and GET /metrics are served over HTTP,
	// ip:port. Not served when invalid (absent). There is no access control: keep it on
	// loopback.
	API   netip.AddrPort
	State State
	// Kept, in no file, is State.Open's, for who has to have the folder before it opens
	// the datapath. New opens it when it is nil, and State has a folder.
	Kept *Kept
	// WrapN4, in no file, is what a test puts between N4's socket and the PFCP
	// server, to change what the UPF sends. nil: nothing.
	WrapN4 func(net.PacketConn) (net.PacketConn, error)
}

// N4 is the interface to CP functions.
type N4 struct {
	// Address, n4.address: IPv4 or IPv6 address and port; 8805 when the port is absent.
	Address netip.AddrPort
	// Interface, n4.interface: the only one that PFCP may come in by, or
	// AnyInterface. When empty it is the one that has Address; where that is a
	// loopback or dummy interface, it is any but N3 and N6. See Device.
	Interface string
	// SMFs, n4.smfs: who may set up associations. Anybody when empty.
	SMFs []netip.Prefix
	// Sets, n4.sets: the SMF sets of some of them, [{id, smfs}].
	Sets []n4.SMFSet
}

// AnyInterface as N4's interface takes PFCP from all interfaces, N3 and N6
// included. An SMF in the UPF's own network namespace may need it.
const AnyInterface = "any"

// N3 is the interface to gNBs.
type N3 struct {
	Interface string     // n3.interface
	Address   netip.Addr // n3.address: IPv4, what gNBs send to
	// Address6, n3.address6: IPv6, what gNBs that have IPv6 send to; invalid when absent.
	Address6 netip.Addr
}

// N6 is the interface to the data network.
type N6 struct {
	Interface string // n6.interface
	// Address and Address6, n6.address and n6.address6: where tunnels on N6 end at the UPF,
	// IPv4 and IPv6; invalid when absent. Port, n6.port: of those with UDP, 1..65535; 0 when
	// absent.
	Address, Address6 netip.Addr
	Port              uint16
}

// Tunnels is N6's end of tunnels for a datapath.
func (n N6) Tunnels() datapath.N6Tunnels {
	return datapath.N6Tunnels{Address: n.Address, Address6: n.Address6, Port: n.Port}
}

// Allow opens what the datapath drops otherwise. See docs/security.md.
type Allow struct {
	// Local, allow.local: addresses of this machine that UEs may reach, IPv4, 16
	// at most.
	Local []netip.Prefix
	// Interfaces, allow.interfaces: those that uplink packets may leave by,
	// besides N6; 7 at most.
	Interfaces []string
	// PlainN3 and PlainN6, allow.plain: [n3, n6]: have the kernel route IP that
	// comes in there and is neither tunnelled nor a UE's.
	PlainN3, PlainN6 bool
	// NestedGTP, allow.nested_gtp: UEs may send GTP-U.
	NestedGTP bool
}

// Datapath names a datapath and its mode.
type Datapath struct {
	Kind string // datapath.kind: "xdp", the default, "afpacket", "tun", "tap" or a Kind's name
	Mode string // datapath.mode: "auto" (the default), "native" or "generic"; XDP's
	// Calibrate, datapath.calibrate: what a Kind from outside is told, in its own words.
	Calibrate string
	// Device, datapath.device: the name of the TUN or TAP device; upf-tun or upf-tap
	// when empty.
	Device string
	// Workers, datapath.workers: threads of a datapath in user space, 1..64; one for each
	// CPU when 0.
	Workers int
	// CPUs, datapath.cpus: those that XDP spreads packets among, by TEID and UE address, at most
	// 64. Empty: each packet is handled where its receive queue is.
	CPUs []int
}

// Limits and defaults.
const (
	DefaultMaxSessions = 65536
	MaxMaxSessions     = 4194304

	minInterval = 10 * time.Millisecond
)

// Schema is the JSON schema (draft 2020-12) of the configuration file.
//
//go:embed config.schema.json
var Schema string

// Example is a configuration file with every key and what it means.
//
//go:embed example.yaml
var Example string

// Device is the interface that N4's socket is bound to, in the network namespace
// of the calling thread; "" when it is bound to none. An address on a loopback or
// dummy interface is reached by others, so that one is none.
func (n N4) Device() (string, error) {
	switch n.Interface {
	case "":
		return deviceOf(n.Address.Addr())
	case AnyInterface:
		return "", nil
	}
	return n.Interface, nil
}

func deviceOf(address netip.Addr) (string, error) {
	all, err := netlink.AddrList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return "", fmt.Errorf("find the interface of N4's address %v: %w: set n4.interface", address, err)
	}
	for _, a := range all {
		if !a.IP.Equal(net.IP(address.AsSlice())) {
			continue
		}
		link, err := netlink.LinkByIndex(a.LinkIndex)
		if err != nil {
			return "", fmt.Errorf("find the interface of N4's address %v: %w: set n4.interface", address, err)
		}
		if link.Attrs().Flags&net.FlagLoopback == 0 && link.Type() != "dummy" {
			return link.Attrs().Name, nil
		}
	}
	return "", nil
}
