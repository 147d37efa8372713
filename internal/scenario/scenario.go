// Package scenario turns a YAML file into a validated value. It reads no
// network and starts nothing.
package scenario

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Scenario says what to measure. Every field has a value after Read.
type Scenario struct {
	Name        string        `yaml:"name"`
	Title       string        `yaml:"title"`
	Description string        `yaml:"description"`
	Study       *record.Study `yaml:"study,omitempty"`

	Directions []record.Direction `yaml:"directions"`
	Loads      []record.Load      `yaml:"loads"`
	Payload    int                `yaml:"payload"` // bytes of UDP payload in the inner packet, 32..8900
	// Sizes are how large the packets are, each in trials of its own; empty: Payload.
	Sizes    []Size   `yaml:"sizes"`
	Sessions int      `yaml:"sessions"` // 1..1000000; each has a UE address and TEIDs of its own
	Duration Duration `yaml:"duration"` // of a load trial
	Repeats  int      `yaml:"repeats"`  // each visits all DUTs in turn
	Warmup   Duration `yaml:"warmup"`   // traffic before a trial that is not counted
	Settle   Duration `yaml:"settle"`   // wait for stragglers after the last packet

	// Arrivals is how the packets of a paced load lie in time; Burst is the size of
	// a burst where they come in bursts.
	Arrivals Arrivals `yaml:"arrivals"`
	Burst    int      `yaml:"burst"`
	OnOff    OnOff    `yaml:"on_off"`
	// PCAP is the capture of Replay: a path, which nobody has looked at.
	PCAP string `yaml:"pcap"`

	Latency Latency `yaml:"latency"`
	Search  Search  `yaml:"search"`
	Soak    Soak    `yaml:"soak"`
	// Full holds the study's own durations, for --full.
	Full Full `yaml:"full"`

	QFI  uint8 `yaml:"qfi"` // 1..63
	UE   UE    `yaml:"ue"`
	N3   N3    `yaml:"n3"`
	N4   N4    `yaml:"n4"`
	N6   N6    `yaml:"n6"`
	TEID TEID  `yaml:"teid"`
	UDP  UDP   `yaml:"udp"` // of the inner packets
	MTU  int   `yaml:"mtu"` // of N3 and N6
	// Link is how N3 and N6 are made, where they do not say it themselves.
	Link LinkKind `yaml:"link"`

	// BPFStats switches the kernel's run-time statistics of BPF programs on, for
	// ns per packet; they cost each packet some 20 ns.
	BPFStats bool `yaml:"bpf_stats"`

	Engine   Engine    `yaml:"engine"`
	CPU      CPU       `yaml:"cpu"`
	External *External `yaml:"external,omitempty"`
	// Container is the image for a DUT container:NAME; nil: none is given.
	Container *Container `yaml:"container,omitempty"`
}

// Duration is a time.Duration that YAML writes as "3s" or "500ms".
type Duration struct{ time.Duration }

// Latency is the latency trial that follows the loads.
type Latency struct {
	Rate     record.Load `yaml:"rate"`
	Duration Duration    `yaml:"duration"`
}

// Engine is what sends and receives.
type Engine string

// The engines. Auto is the fastest that works.
const (
	EngineAuto     Engine = "auto"
	EngineXDP      Engine = "xdp"
	EngineAFPacket Engine = "af_packet"
)

// Arrivals is an arrival process.
type Arrivals string

// The arrival processes.
const (
	Constant Arrivals = "constant"
	Poisson  Arrivals = "poisson"
	Bursts   Arrivals = "bursts"
	OnAndOff Arrivals = "on-off"
	Replay   Arrivals = "replay"
)

// OnOff is how long packets are sent at a steady rate, and then none.
type OnOff struct {
	On  Duration `yaml:"on"`
	Off Duration `yaml:"off"`
}

// Full is what --full replaces.
type Full struct {
	Duration Duration   `yaml:"duration"`
	Latency  Latency    `yaml:"latency"`
	Settle   Duration   `yaml:"settle"` // 0: stays
	Search   FullSearch `yaml:"search"`
}

// UE addresses: session i of N has First + i.
type UE struct {
	Pool  netip.Prefix `yaml:"pool"`
	First netip.Addr   `yaml:"first"`
}

// N3 is the link gNB - UPF.
type N3 struct {
	GNB    netip.Addr `yaml:"gnb"`
	UPF    netip.Addr `yaml:"upf"`
	Prefix int        `yaml:"prefix"` // length of the subnet
	// Link is how it is made; Device and TesterDevice are what a physical link moves.
	Link         LinkKind `yaml:"link"`
	Device       string   `yaml:"device,omitempty"`
	TesterDevice string   `yaml:"tester_device,omitempty"`
}

// N4 is the link SMF - UPF.
type N4 struct {
	SMF    netip.Addr `yaml:"smf"`
	UPF    netip.Addr `yaml:"upf"`
	Prefix int        `yaml:"prefix"`
	// NetworkInstance is the DNN that rules name.
	NetworkInstance string `yaml:"network_instance"`
}

// N6 is the link UPF - data network.
type N6 struct {
	UPF    netip.Addr `yaml:"upf"`
	DN     netip.Addr `yaml:"dn"`
	Prefix int        `yaml:"prefix"`
	// Link is how it is made; Device and TesterDevice are what a physical link moves.
	Link         LinkKind `yaml:"link"`
	Device       string   `yaml:"device,omitempty"`
	TesterDevice string   `yaml:"tester_device,omitempty"`
}

// TEID is where the TEIDs of the sessions start; session i has First + 2 i, so
// that one session has the study's 1 (uplink) and 2 (downlink).
type TEID struct {
	Uplink   uint32 `yaml:"uplink"`   // of session 0, when the SMF assigns it
	Downlink uint32 `yaml:"downlink"` // of session 0, at the gNB
	// Assign says who chooses the uplink F-TEID.
	Assign Assign `yaml:"assign"`
}

// Assign is who chooses the uplink F-TEID.
type Assign string

// Auto takes what the DUT's dialect prefers.
const (
	AssignAuto Assign = "auto"
	AssignSMF  Assign = "smf"
	AssignUPF  Assign = "upf" // CHOOSE, TS 29.244 clause 5.5.3
)

// UDP holds the ports of the inner packets.
type UDP struct {
	Source      uint16 `yaml:"source"`
	Destination uint16 `yaml:"destination"`
}

// CPU places the roles. -1 lets upflab choose.
type CPU struct {
	Placement string `yaml:"placement"` // "auto" | "separate" | "shared"
	Generator int    `yaml:"generator"`
	Sink      int    `yaml:"sink"`
	DUT       int    `yaml:"dut"`
	// Idle is what CPUs with nothing to do do in a run: "poll" | "sleep".
	Idle string `yaml:"idle"`
}

// The values of CPU.Idle.
const (
	IdlePoll  = "poll"
	IdleSleep = "sleep"
)

// External describes a UPF that runs elsewhere. The interfaces exist, are up
// and have the addresses n3.gnb, n6.dn and n4.smf before the run.
type External struct {
	N3Interface string `yaml:"n3_interface"`
	N6Interface string `yaml:"n6_interface"`
	// Dialect is the kind of UPF it is: "standard", "eupf", "open5gs" ...
	Dialect string `yaml:"dialect"`
	// PID is a process of the UPF on this host, for CPU and memory; 0: unknown.
	PID int `yaml:"pid"`
	// SSH is a host to log in to for the CPU and memory of Process, a number or a name;
	// NodeExporter a URL that tells the CPU of the whole host. "": neither.
	SSH          string `yaml:"ssh,omitempty"`
	Process      string `yaml:"process,omitempty"`
	NodeExporter string `yaml:"node_exporter,omitempty"`
}

// Container is an image that a UPF's program is run from.
type Container struct {
	Image   string `yaml:"image"`
	Program string `yaml:"program,omitempty"` // its path there; "": in the image's PATH
}
