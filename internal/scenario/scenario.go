// Package scenario turns the YAML text of a scenario into a validated value. It does no
// I/O: the built-in scenarios are part of the program, and callers read files.
//
// A key of a scenario is written once, as a field of the types here: its name and what
// it takes are tags, its description is the comment. schema/schema.json and the tables of
// docs/reference/keys.md are made from them by make generate.
//
//	yaml      name of the key
//	kind      what a value may be, where the type does not say it (schema_update_test.go)
//	enum      the values, separated by commas
//	range     lowest and highest value
//	unit      of a number
//	items     fewest and most values of a list; unique: none twice
//	short     keys of an item that its short form NAME:VALUE gives
//	required  the section needs the key
//	default   where load-latency does not have the key
//	example   as --set takes it
package scenario

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Scenario says what to measure. Every field has a value after Read.
type Scenario struct {
	About `yaml:",inline"`
	// What is done with each DUT: load (user traffic, as loads, search, soak, stress, control and
	// flows say), behaviour (sessions and packets show what it does with rules that it accepted),
	// attack (hostile inputs and floods), qos-accuracy (how exactly it limits and counts),
	// resilience (what users lose when they move or something fails), interop (whether it does what
	// SMFs ask in their own words) or instructions (how many a packet and a request of N4 take, in
	// an emulated machine that counts them).
	Kind Kind `yaml:"kind" enum:"load,behaviour,attack,qos-accuracy,resilience,interop,instructions" example:"behaviour"`
	// Of behaviour, attack, qos-accuracy, resilience and interop: the cases or incidents, or groups
	// of them, by `upflab behaviour list`. Empty: all.
	Cases []string `yaml:"cases" plural:"cases" kind:"case" items:"..1000" unique:"true" example:"far,pdr.precedence"`
	// Of interop: files with further dialects, that `upflab interop record` made.
	Dialects []string `yaml:"dialects" plural:"files" kind:"file" items:"..100" unique:"true" example:"our-smf.n4"`
	Packets  `yaml:",inline"`
	Timing   `yaml:",inline"`
	// Repeats until something is known, in place of a number of them: for loads and latency trials.
	Until    Until `yaml:"until"`
	Schedule `yaml:",inline"`
	// The latency trial that follows the loads, once per direction.
	Latency Latency `yaml:"latency"`
	// Searches for the rates that each DUT carries, and for its buffer, in each direction.
	// What a key leaves at 0 the preset decides.
	Search Search `yaml:"search"`
	// A soak: one long trial, of the length that duration says, at a share of the load that
	// the DUT carries, in each direction. Loads of max are tried for 3 s to find what
	// arrives, a search takes precedence, and other loads are taken as given.
	Soak Soak `yaml:"soak"`
	// The stress study: how latency, loss and CPU follow the load, and what models say of
	// them.
	Stress Stress `yaml:"stress"`
	// How hard and how long `upflab run attack` attacks.
	Attack Attack `yaml:"attack"`
	// The control-plane study: what N4 carries, and what becomes of user traffic meanwhile.
	Control Control `yaml:"control"`
	Apps    `yaml:",inline"`
	Gate    `yaml:",inline"`
	// What --full puts in place: the durations of the study or of the standard.
	Full         Full `yaml:"full"`
	SessionRules `yaml:",inline"`
	Network      `yaml:",inline"`
	Bench        `yaml:",inline"`
	// A UPF that runs elsewhere, for the DUT external. The interfaces exist, are up and have
	// the addresses n3.gnb, n6.dn, n4.smf and, for UEs with IPv6, n6.dn6 before the run. With transport:
	// ipv6, n3.gnb6 and n4.smf6 take the place of n3.gnb and n4.smf.
	External *External `yaml:"external,omitempty"`
	// One measurement over several hosts: who generates and who receives, while the UPF runs
	// on this one. Needs a hub: docs/scale.md.
	Hosts *Hosts `yaml:"hosts,omitempty"`
	// The image for a DUT container:NAME.
	Container *Container `yaml:"container,omitempty"`
	// The virtual machine of `upflab run --site vm`; elsewhere nothing of it is used.
	VM *VM `yaml:"vm,omitempty"`
}

// About is what a scenario is called and where it comes from.
type About struct {
	// Short name, used for the folder of a result. Left out: the name of the file.
	Name string `yaml:"name" kind:"name" example:"small-packets"`
	// One line for the head of a report.
	Title string `yaml:"title" example:"64-byte payload, one session"`
	// What is measured and why, for people.
	Description string `yaml:"description" example:"How the rate changes with the size."`
	// The publication whose measurement is repeated.
	Study *record.Study `yaml:"study,omitempty"`
}

// Packets are what is offered, in which directions and over how many sessions.
type Packets struct {
	// Directions of user traffic, measured one after the other: uplink is N3 to N6, downlink
	// N6 to N3, both is the two at once, where a load is the sum and each has half of it.
	Directions []record.Direction `yaml:"directions" enum:"uplink,downlink,both" items:"1.." unique:"true" example:"uplink"`
	// Offered loads, one trial each per direction: a rate, max (unpaced: as fast as the
	// generator can), or auto (shares of what the DUT carries, in the stress study).
	Loads []record.Load `yaml:"loads" range:"1..1G" items:"1..100" example:"1M,1.5M,max"`
	// UDP payload of the inner packet. The inner IP packet is 28 bytes longer, of IPv6 48.
	Payload int `yaml:"payload" kind:"size" range:"32..8900" example:"64B"`
	// How large the packets are, each in trials of its own: 1400 or payload:1400 (UDP payload),
	// inner:1428 (inner IP packet), frame:1518 (frame as sent, with FCS), rfc2544 (that
	// standard's), imix or genome:aabg (mixtures, frames on N6 with FCS). Empty: payload alone.
	Sizes []Size `yaml:"sizes" items:"..64" unique:"true" example:"frame:128,imix"`
	// IP families that the run compares: those of ue.family and, with -over-ipv6, an N3 and N4 of IPv6
	// (transport). Each visit measures all, in this order and in the next repeat in the reverse one. Sizes
	// have the family in their names, and the report has the ratio of each to the first. Empty: ue.family
	// and transport alone.
	Families []Stack `yaml:"families" plural:"families" enum:"ipv4,ipv6,both,ipv4-over-ipv6,ipv6-over-ipv6,both-over-ipv6" items:"..6" unique:"true" example:"ipv4,ipv6"`
	// Whether packets, and the G-PDUs of the gNB, must not be fragmented: DF, as Linux, Android
	// and iOS set it. Only such packets of a UE may be put together to one and cut again, by
	// the kernel or a UPF: without DF all have the identification 1, which forbids it (RFC
	// 6864). Not of flows.
	DF bool `yaml:"df" example:"true"`
	// ECN field of the inner packets (RFC 3168): ect0 and ect1 (L4S, RFC 9331) let the UPF mark those that
	// met congestion, and marks are counted. Outer headers are not-ect.
	ECN ECN `yaml:"ecn" enum:"not-ect,ect0,ect1" example:"ect1"`
	// PDU sessions; each has a UE address and TEIDs of its own, and traffic is spread evenly
	// over them.
	Sessions int `yaml:"sessions" range:"1..1000000" example:"10000"`
}

// Timing is how long and how often trials are.
type Timing struct {
	// Length of a load trial.
	Duration Duration `yaml:"duration" range:"100ms..24h" example:"10s"`
	// How often every trial is done; each repeat visits all DUTs, in random order and then in
	// the reverse of that.
	Repeats int `yaml:"repeats" range:"1..1000" example:"5"`
	// Traffic before a trial that is not counted.
	Warmup Duration `yaml:"warmup" range:"0s..10m" example:"1s"`
	// Wait for stragglers after the last packet of a trial.
	Settle Duration `yaml:"settle" range:"0s..1m" example:"2s"`
}

// Schedule is when packets are sent.
type Schedule struct {
	// When packets of a paced load are sent: at equal distances, as a Poisson process, in
	// bursts of `burst` packets back to back, on for a time and off for a time (`on_off`),
	// or as in the capture `pcap`, which also gives sizes, ports and contents.
	Arrivals Arrivals `yaml:"arrivals" enum:"constant,poisson,bursts,on-off,replay" example:"poisson"`
	// Of the order of visits, and of the random gaps of arrivals: poisson. Each direction, load
	// and repeat has other gaps; the same seed gives the same order and gaps again.
	Seed int `yaml:"seed" range:"1..4294967295" example:"2"`
	// Packets in a burst, a power of two; for arrivals: bursts.
	Burst int `yaml:"burst" enum:"2,4,8,16,32,64,128,256,512,1024" example:"64"`
	// For arrivals: on-off. The load is the mean over both times.
	OnOff OnOff `yaml:"on_off"`
	// The capture of arrivals: replay, classic pcap or pcapng of Ethernet or raw IP. Its UDP
	// and TCP packets over IPv4 are sent, with addresses of the UEs and the data network, in IPv6
	// where UEs have that; a load of `recorded` is the capture's own rate, others scale its gaps.
	PCAP string `yaml:"pcap" example:"traffic.pcap"`
}

// Apps are measurements by applications at the UEs, and how the UEs are connected.
type Apps struct {
	// Measurements by applications at the UEs: iperf3, ping, web pages. Where there are any,
	// they take the place of loads and latency. In short: KIND:DIRECTION.
	Flows []Flow `yaml:"flows" plural:"flows" short:"kind:direction" items:"..64" example:"tcp:uplink,udp:downlink"`
	// Kinds of link of N3 and N6, each measured in turn by the flows. Empty: link alone.
	Links []LinkKind `yaml:"links" enum:"veth,bridge,macvlan,physical" items:"..4" unique:"true" example:"bridge,macvlan"`
	// Whether the kernel merges TCP segments (GRO) that arrive at the UPF's N3 and N6 before
	// the UPF sees them, in a run of flows: on, off, or auto: as the kernel does for a veth,
	// and not at a macvlan device's parent.
	GRO GRO `yaml:"gro" enum:"auto,on,off" example:"on"`
	// Where the UEs of flows are: behind upflab's own gateway, or external: a RAN, or a simulation
	// of one, that runs with its core already and gives interfaces (external_ue).
	RAN RAN `yaml:"ran" enum:"gateway,external" example:"external"`
	// UE interfaces that somebody else gives, for ran: external.
	ExternalUE *ExternalUE `yaml:"external_ue,omitempty"`
}

// Gate is what must hold.
type Gate struct {
	// What must hold, or the exit status is 4: FIGURE OPERATOR LIMIT [@ WHERE]. A limit is a
	// value or a share of another DUT's; `upflab scenario figures` lists the figures.
	Thresholds []string `yaml:"thresholds" plural:"thresholds" kind:"threshold" items:"..100" unique:"true" example:"rx_pps >= 1M,latency.p99 < 100us @ uplink"`
	// End the run as soon as a threshold has failed for good: in all repeats, or in three.
	AbortOnFail bool `yaml:"abort_on_fail" example:"true"`
}

// SessionRules are what the SMF gives each session.
type SessionRules struct {
	// QoS Flow Identifier in the PDU session container (TS 38.415 clause 5.5.3.3).
	QFI uint8 `yaml:"qfi" range:"1..63" example:"9"`
	// QFIs of the sessions, in turn: with 1,9 every second UE has 9. For flows and the stress
	// study, where sessions with one QFI in one slice are a class of traffic, whose share of the
	// load is that of its sessions. Empty: qfi alone.
	QFIs []int `yaml:"qfis" plural:"QFIs" range:"1..63" items:"..16" example:"1,9"`
	// Network Instances of the sessions, in turn, as slices or data networks have them: with
	// internet,ims every second UE has ims in its PDRs and FARs. Empty: n4.network_instance.
	NetworkInstances []string `yaml:"network_instances" plural:"names" kind:"dnn" items:"..16" unique:"true" example:"internet,ims"`
	// What the rules of every session have beyond forwarding.
	Rules Rules `yaml:"rules"`
	// Addresses of the UEs: session i of N has first + i, and the /64 of first6 + i.
	UE UE `yaml:"ue"`
}

// Network is the links around the UPF, with their addresses.
type Network struct {
	// IP of the network around the UPF: of the outer headers of G-PDUs on N3, and of PFCP on N4. With
	// ipv6 the ends are n3.gnb6, n3.upf6, n4.smf6 and n4.upf6, and outer headers are 20 bytes longer. Their
	// UDP checksum is computed and checked (RFC 8200 clause 8.1). What UEs have is ue.family.
	Transport Transport `yaml:"transport" enum:"ipv4,ipv6" example:"ipv6"`
	// The link gNB - UPF (GTP-U, TS 29.281).
	N3 N3 `yaml:"n3"`
	// The link SMF - UPF (PFCP, TS 29.244).
	N4 N4 `yaml:"n4"`
	// The link UPF - data network.
	N6 N6 `yaml:"n6"`
	// Tunnel endpoint identifiers (TS 29.281 clause 5.1): session i has first + 2 i in each
	// direction.
	TEID TEID `yaml:"teid"`
	// Ports of the inner packets: source is the UE's uplink, the data network's downlink.
	UDP UDP `yaml:"udp"`
	// MTU of N3 and N6. N3 carries 72 bytes more than the payload: inner IPv4 20 and UDP 8,
	// outer IPv4 20, UDP 8, GTP-U 12 and PDU session container 4. IPv6 is 20 longer, inside and outside each.
	MTU int `yaml:"mtu" range:"576..9200" unit:"bytes" example:"9000"`
	// How N3 and N6 are made: veth (a veth pair), bridge (a Linux bridge between two veth
	// pairs), macvlan (the UPF has a macvlan device in bridge mode) or physical (devices of
	// this machine, SR-IOV virtual functions too, are moved into the namespaces).
	Link LinkKind `yaml:"link" enum:"veth,bridge,macvlan,physical" example:"bridge"`
	// Receive queues of the UPF's N3 and N6 and of the tester's ports, on veth and physical links.
	// On a veth link a frame of upflab's comes to the queue of the CPU that sends it, modulo the
	// queues; each queue is received on one CPU. Physical ports, and the tester's of an external
	// UPF, get that many for the run; 1 leaves what `ethtool -L` gave them.
	Queues int `yaml:"queues" range:"1..64" example:"2"`
	// What spreads G-PDUs over the queues of N3's physical ports, and of the tester's N3 of an
	// external UPF: auto (a hash of the TEID where the
	// NIC can, and queues is over 1), nic (whatever it does), teid_hash (that hash, or no run) or
	// teid_rules (a rule for each session, which sends its TEID to a queue, or no run).
	Spread Spread `yaml:"spread" enum:"auto,nic,teid_hash,teid_rules" example:"teid_hash"`
	// gNBs, each with an address of its own on N3: n3.gnb, or n3.gnb6, and those after it. Session i is of
	// gNB i modulo gnbs: its uplink packets come from there, and its downlink tunnel leads there.
	GNBCount int `yaml:"gnbs" range:"1..64" example:"4"`
}

// Bench is how upflab itself measures.
type Bench struct {
	// Switch the kernel's run-time statistics of BPF programs on, for ns per packet of XDP
	// UPFs. They cost each packet some 20 ns.
	BPFStats bool `yaml:"bpf_stats" example:"true"`
	// What sends and receives: xdp (frames from inside the kernel, millions a second), af_xdp
	// (AF_XDP sockets, for NICs whose driver has zero copy for them but takes no frames from
	// inside the kernel; elsewhere as fast as packet sockets), af_packet (packet sockets: works
	// without BPF and without root in a user namespace, a tenth as fast), trex (a TRex server
	// that runs elsewhere, see trex), or auto: the fastest of upflab's own that works here.
	Engine Engine `yaml:"engine" enum:"auto,xdp,af_xdp,af_packet,trex" example:"af_packet"`
	// The TRex server of engine: trex, and its two ports: docs/trex.md.
	TRex *TRex `yaml:"trex,omitempty"`
	// What becomes of windows of a trial (1.05 ms) in which the machine was disturbed: the
	// host paused a CPU of the run, or another program or an interrupt had it. exclude: they
	// do not count, and the trial goes on until the time asked for is there, at most three
	// times as long; keep: everything counts, as a standard asks.
	Disturbed Disturbed `yaml:"disturbed" enum:"exclude,keep" example:"keep"`
	// How often a trial or flow is measured at most when the machine disturbed it all the
	// same, or a trial's generator missed its load by up to 3 %. Of trials the last counts, of
	// flows the one that was disturbed least.
	Attempts int `yaml:"attempts" range:"1..10" example:"1"`
	// CPUs of the generator, the sink and the DUT, and what idle CPUs do.
	CPU CPU `yaml:"cpu"`
}

// Duration is a time.Duration that YAML writes as "3s" or "500ms".
type Duration struct{ time.Duration }

// Latency is the latency trial that follows the loads.
type Latency struct {
	// Offered load of the latency trial.
	Rate record.Load `yaml:"rate" kind:"rate" range:"1..1G" example:"10k"`
	// Length of the latency trial.
	Duration Duration `yaml:"duration" range:"100ms..24h" example:"10s"`
}

// Engine is what sends and receives.
type Engine string

// The engines. Auto is the fastest that works.
const (
	EngineAuto     Engine = "auto"
	EngineXDP      Engine = "xdp"
	EngineAFXDP    Engine = "af_xdp"
	EngineAFPacket Engine = "af_packet"
	EngineTRex     Engine = "trex"
)

// Spread is what spreads G-PDUs over a NIC's queues.
type Spread string

// The kinds of spread.
const (
	SpreadAuto  Spread = "auto"
	SpreadNIC   Spread = "nic"
	SpreadHash  Spread = "teid_hash"
	SpreadRules Spread = "teid_rules"
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
	// How long packets are sent at a steady rate.
	On Duration `yaml:"on" range:"1ms..1m" example:"100ms"`
	// How long nothing is sent then.
	Off Duration `yaml:"off" range:"0s..1m" example:"900ms"`
}

// Full is what --full replaces.
type Full struct {
	// Replaces duration.
	Duration Duration `yaml:"duration" range:"100ms..24h" example:"120s"`
	// Replaces latency.
	Latency Latency `yaml:"latency"`
	// Replaces settle; 0s: it stays.
	Settle Duration `yaml:"settle" range:"0s..10m" example:"2s"`
	// Replaces settings of search.
	Search FullSearch `yaml:"search"`
	// Replaces settings of the stress study.
	Stress FullStress `yaml:"stress"`
}

// Rules are what sessions have beyond two PDRs with a FAR each.
type Rules struct {
	// Maximum bit rate of the session's QER in each direction; 0: none, but for UPFs that
	// need one.
	MBR int `yaml:"mbr" range:"0..400000000" unit:"kbit/s" example:"100000000"`
	// A URR that measures volume, of all PDRs.
	URR bool `yaml:"urr" example:"true"`
}

// UE addresses: session i of N has First + i, and the address First6 of the i-th prefix of 64 bits after
// that of First6.
type UE struct {
	// Families of IP that each UE has, and that the load is of: ipv4, ipv6, or both. With both, a PDU
	// session is IPv4v6 and has two addresses, which send and receive in turn: packet by packet, each
	// family has half of every load. Both have the same UDP payload. Sizes of inner packets and
	// frames are then those of IPv6, and IPv4 packets are 20 bytes shorter.
	Family Family `yaml:"family" enum:"ipv4,ipv6,both" example:"ipv6"`
	// The subnet that holds all IPv4 addresses of UEs. Its first and last address are not given to a
	// UE.
	Pool netip.Prefix `yaml:"pool" example:"10.60.0.0/14"`
	// IPv4 address of the UE of session 0.
	First netip.Addr `yaml:"first" example:"10.60.0.10"`
	// The subnet that holds all IPv6 prefixes of UEs, of /32 to /64. Each UE has its own /64 (TS 23.501
	// clause 5.8.2.2).
	Pool6 netip.Prefix `yaml:"pool6" kind:"subnet6" example:"2001:db8:100::/40"`
	// IPv6 address of the UE of session 0. Session i has the i-th /64 after it, with the same
	// interface identifier.
	First6 netip.Addr `yaml:"first6" kind:"address6" example:"2001:db8:100:1::1"`
}

// Family is the families of IP that UEs have.
type Family string

// The families.
const (
	FamilyIPv4 Family = "ipv4"
	FamilyIPv6 Family = "ipv6"
	FamilyBoth Family = "both"
)

// IPv4 reports whether UEs have an IPv4 address.
func (f Family) IPv4() bool { four, _ := f.versions(); return four }

// IPv6 reports whether UEs have an IPv6 prefix.
func (f Family) IPv6() bool { _, six := f.versions(); return six }

// versions are the IP versions of a family: none of one that is unknown. The zero value is IPv4.
func (f Family) versions() (four, six bool) {
	switch f {
	case FamilyIPv4, "":
		return true, false
	case FamilyIPv6:
		return false, true
	case FamilyBoth:
		return true, true
	}
	return false, false
}

// Addresses is how many addresses a UE has, each with its own stream of packets.
func (f Family) Addresses() int {
	if f == FamilyBoth {
		return 2
	}
	return 1
}

// N3 is the link gNB - UPF.
type N3 struct {
	// Address of the gNB.
	GNB netip.Addr `yaml:"gnb" example:"172.16.3.1"`
	// Address of the UPF's N3.
	UPF netip.Addr `yaml:"upf" example:"172.16.3.2"`
	// IPv6 address of the gNB, where transport is ipv6. Its subnet is a /64, and several gNBs are in one /96 of it.
	GNB6 netip.Addr `yaml:"gnb6" kind:"address6" example:"2001:db8:13::1"`
	// IPv6 address of the UPF's N3, in the same /64.
	UPF6 netip.Addr `yaml:"upf6" kind:"address6" example:"2001:db8:13::2"`
	// Length of the subnet of both ends, in IPv4.
	Prefix int `yaml:"prefix" range:"8..31" unit:"bits" example:"16"`
	// IPsec on N3, and on N9 where it is on that link: none, or esp (a tunnel with AES-GCM and keys of the run, in the
	// kernel at the UPF's end). For UPFs whose N3 is a UDP socket of the kernel, and runs of kind behaviour.
	IPsec IPsec `yaml:"ipsec" enum:"none,esp" example:"esp"`
	// How N3 is made; auto: as link says.
	Link LinkKind `yaml:"link" enum:"auto,veth,bridge,macvlan,physical" example:"macvlan"`
	// Network device of this machine that becomes the UPF's N3, for a physical link. It
	// comes back at the end of the run.
	Device string `yaml:"device,omitempty" kind:"interface" example:"eth1"`
	// Network device of this machine that is connected with n3.device, for a physical link:
	// the gNB has it during the run.
	TesterDevice string `yaml:"tester_device,omitempty" kind:"interface" example:"eth2"`
}

// N4 is the link SMF - UPF.
type N4 struct {
	// Address of the SMF.
	SMF netip.Addr `yaml:"smf" example:"172.16.4.1"`
	// Address of the UPF's N4.
	UPF netip.Addr `yaml:"upf" example:"172.16.4.2"`
	// IPv6 address of the SMF, where transport is ipv6. Its subnet is a /64.
	SMF6 netip.Addr `yaml:"smf6" kind:"address6" example:"2001:db8:14::1"`
	// IPv6 address of the UPF's N4, in the same /64.
	UPF6 netip.Addr `yaml:"upf6" kind:"address6" example:"2001:db8:14::2"`
	// Length of the subnet of both ends, in IPv4.
	Prefix int `yaml:"prefix" range:"8..31" unit:"bits" example:"16"`
	// Network Instance in the rules: the DNN (TS 23.003 clause 9A, TS 29.244 clause 8.2.4).
	NetworkInstance string `yaml:"network_instance" kind:"dnn" example:"ims.mnc001.mcc001"`
}

// N6 is the link UPF - data network.
type N6 struct {
	// Address of the UPF's N6.
	UPF netip.Addr `yaml:"upf" example:"172.16.6.1"`
	// Address of the host in the data network.
	DN netip.Addr `yaml:"dn" example:"172.16.6.2"`
	// IPv6 address of the UPF's N6, where UEs have IPv6 (ue.family). Its subnet is a /64.
	UPF6 netip.Addr `yaml:"upf6" kind:"address6" example:"2001:db8:16::1"`
	// IPv6 address of the host in the data network, in the same /64.
	DN6 netip.Addr `yaml:"dn6" kind:"address6" example:"2001:db8:16::2"`
	// Length of the subnet of both ends, in IPv4.
	Prefix int `yaml:"prefix" range:"8..31" unit:"bits" example:"16"`
	// How N6 is made; auto: as link says.
	Link LinkKind `yaml:"link" enum:"auto,veth,bridge,macvlan,physical" example:"macvlan"`
	// Network device of this machine that becomes the UPF's N6, for a physical link. It
	// comes back at the end of the run.
	Device string `yaml:"device,omitempty" kind:"interface" example:"eth3"`
	// Network device of this machine that is connected with n6.device, for a physical link:
	// the data network has it during the run.
	TesterDevice string `yaml:"tester_device,omitempty" kind:"interface" example:"eth4"`
}

// TEID is where the TEIDs of the sessions start; session i has First + 2 i, so
// that one session has the study's 1 (uplink) and 2 (downlink).
type TEID struct {
	// Uplink TEID of session 0, at the UPF, when the SMF assigns it.
	Uplink uint32 `yaml:"uplink" range:"1..4294967295" example:"4096"`
	// Downlink TEID of session 0, at the gNB.
	Downlink uint32 `yaml:"downlink" range:"1..4294967295" example:"4097"`
	// Who chooses the uplink F-TEID: smf, upf (CHOOSE, TS 29.244 clause 5.5.3), or auto,
	// what the DUT prefers.
	Assign Assign `yaml:"assign" enum:"auto,smf,upf" example:"upf"`
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
	// UDP source port, both directions.
	Source uint16 `yaml:"source" range:"1..65535" example:"5000"`
	// UDP destination port, both directions.
	Destination uint16 `yaml:"destination" range:"1..65535" example:"5001"`
	// How many UDP flows each address of a session has. They differ in the source port, which is that of source
	// or one after it. Each has an equal share of the load, and its own sequence numbers.
	Flows int `yaml:"flows" range:"1..1024" example:"8"`
}

// CPU places the roles. -1 lets upflab choose one.
type CPU struct {
	// separate gives the DUT cores of its own, shared puts all on one core, auto takes
	// separate where there are enough CPUs.
	Placement string `yaml:"placement" enum:"auto,separate,shared" example:"shared"`
	// CPUs of the generator; -1 lets upflab choose one. Several send by one schedule, each for
	// its share of the sessions.
	Generator CPUs `yaml:"generator" example:"0,1"`
	// CPUs of the sink; -1 lets upflab choose one. Several share the receive queues of the
	// tester's ports (`queues`).
	Sink CPUs `yaml:"sink" example:"2"`
	// CPUs of the DUT; -1 lets upflab choose one. Several share the receive queues of its ports
	// (`queues`).
	DUT CPUs `yaml:"dut" example:"4-7"`
	// What idle CPUs do in a run: poll keeps them from sleeping (PM QoS), as benchmarks that
	// turn C-states off do; sleep leaves them as they are, and latencies include the time
	// to wake up.
	Idle string `yaml:"idle" enum:"poll,sleep" example:"sleep"`
}

// Disturbed is what becomes of disturbed windows of a trial.
type Disturbed string

// What becomes of them.
const (
	DisturbedExclude Disturbed = "exclude"
	DisturbedKeep    Disturbed = "keep"
)

// The values of CPU.Idle.
const (
	IdlePoll  = "poll"
	IdleSleep = "sleep"
)

// External describes a UPF that runs elsewhere. The interfaces exist, are up
// and have the addresses n3.gnb, n6.dn and n4.smf before the run.
type External struct {
	// Network interface towards the UPF's N3; with hosts and trex none: the generators have theirs.
	N3Interface string `yaml:"n3_interface,omitempty" kind:"interface" example:"eth1"`
	// Network interface towards the UPF's N6; with hosts and trex none: the sink has its.
	N6Interface string `yaml:"n6_interface,omitempty" kind:"interface" example:"eth2"`
	// Kind of UPF, which decides the IEs that rules have.
	Dialect string `yaml:"dialect" kind:"name" default:"standard" example:"open5gs"`
	// Process of the UPF on this host, for its CPU (a lower bound, without softirqs), its memory, and to notice that it ends; 0: unknown.
	PID int `yaml:"pid" kind:"pid" range:"0..4194304" default:"0" example:"4711"`
	// Host of the UPF to log in to for CPU and memory of external.process, as ssh takes it;
	// without a password. UPFLAB_SSH is the command in place of ssh.
	SSH string `yaml:"ssh,omitempty" kind:"host" example:"root@upf1"`
	// The UPF's process on that host: its number, or its name.
	Process string `yaml:"process,omitempty" kind:"process" example:"open5gs-upfd"`
	// URL of Prometheus's node-exporter on the UPF's host, for the CPU of that whole host.
	NodeExporter string `yaml:"node_exporter,omitempty" kind:"url" example:"http://upf1:9100/metrics"`
}

// Container is an image that a UPF's program is run from.
type Container struct {
	// Image that holds the UPF's program, as podman or docker knows it; without it, the one that is published.
	Image string `yaml:"image,omitempty" kind:"image" example:"localhost/eupf:0.7.1"`
	// Image that holds the program that speaks N4, where that is another one: of sdcore, pfcpiface.
	Control string `yaml:"control,omitempty" kind:"image" example:"localhost/upf-epc-pfcpiface:2.1.2"`
	// Path of the program in the image, where its PATH does not lead to it.
	Program string `yaml:"program,omitempty" kind:"path" example:"/app/bin/eupf"`
	// Whether an image that is not on this machine may be downloaded.
	Pull bool `yaml:"pull" default:"false" example:"true"`
}

// VM is a guest of this machine, in which UPF and tester run.
type VM struct {
	// Its kernel: host (the one that runs here), the path of a vmlinuz with its lib/modules, or the name
	// of a kernel in ~/.cache/upflab/kernels, which `make kernels` fills.
	Kernel string `yaml:"kernel" kind:"path" default:"host" example:"/boot/vmlinuz-6.12.117+deb13-amd64"`
	// What N3 and N6 are: veth pairs, or two pairs of connected NICs of this model, which QEMU emulates, as
	// `link: physical`. igb needs QEMU 8.
	NIC NIC `yaml:"nic" enum:"veth,virtio-net,igb,e1000e,vmxnet3" default:"veth" example:"virtio-net"`
	// CPUs of the guest.
	CPUs int `yaml:"cpus" range:"1..64" default:"2" example:"4"`
	// Memory of the guest.
	Memory int `yaml:"memory" range:"512..1048576" unit:"MiB" default:"3072" example:"8192"`
}

// HostKernel is the VM.Kernel that runs here.
const HostKernel = "host"

// NIC is a kind of link, or a model of emulated NICs, of a VM.
type NIC string

// The NICs of a VM. With NICVeth it has none.
const (
	NICVeth      NIC = "veth"
	NICVirtioNet NIC = "virtio-net"
	NICIGB       NIC = "igb"
	NICE1000E    NIC = "e1000e"
	NICVMXNet3   NIC = "vmxnet3"
)

// GuestOf is the VM that a scenario asks for, or the one by default.
func (s *Scenario) GuestOf() VM {
	if s.VM != nil {
		return *s.VM
	}
	usual, err := Read([]byte("vm: {}"), "scenario.yaml")
	if err != nil {
		return VM{} // a test rules it out
	}
	return *usual.VM
}
