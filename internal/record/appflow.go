package record

import (
	"time"
)

// The kinds of flow.
const (
	FlowTCP  = "tcp"  // iperf3
	FlowUDP  = "udp"  // iperf3
	FlowPing = "ping" // iputils
	FlowHTTP = "http" // pages, each over a new connection
	// Calls and extended reality, both ways at once, each frame within its delay budget.
	FlowVoice = "voice"
	FlowXR    = "xr"
)

// FlowKinds are all kinds of flow, in the order of a report.
func FlowKinds() []string { return []string{FlowTCP, FlowUDP, FlowPing, FlowHTTP, FlowVoice, FlowXR} }

// InFrames reports whether a kind of flow is frames that are due in time.
func InFrames(kind string) bool { return kind == FlowVoice || kind == FlowXR }

// What can limit a flow besides LimitNone, LimitDUT and LimitHost.
const (
	LimitGateway Limit = "gateway" // what tunnels the UEs' traffic, or the links without a UPF
	LimitIperf   Limit = "iperf3"  // the measuring program itself
	LimitRAN     Limit = "ran"     // a RAN that is not upflab's gateway, or a simulation of one
	LimitMTU     Limit = "mtu"     // packets that are too large for N3
	LimitUnknown Limit = "unknown" // no part was full, and there is no bench to compare with
)

// AppFlow is what an application at one or more UEs measured through a UPF, once.
type AppFlow struct {
	Kind      string    `json:"kind"`
	Direction Direction `json:"direction"` // of the data
	UEs       int       `json:"ues"`
	Streams   int       `json:"streams"` // of each UE
	// Link is the kind of N3 and N6, where a run has several; "" means that of the scenario.
	Link string `json:"link,omitempty"`
	// Family is the IP of the flow's packets: "ipv6"; "": IPv4.
	Family string `json:"ue_family,omitempty"`
	// Beside is what another UE did meanwhile, as "tcp-downlink"; "": nothing.
	Beside  string    `json:"beside,omitempty"`
	Octets  int       `json:"octets,omitempty"` // payload of a datagram or a ping, length of a page
	Repeat  int       `json:"repeat"`           // 1..repeats
	Started time.Time `json:"started"`
	// DurationS is how long data was sent.
	DurationS float64 `json:"duration_s"`

	// OfferedBPS is the payload asked for, bits/s, all UEs and streams; 0: as much as
	// possible.
	OfferedBPS float64 `json:"offered_bps"`
	SentBPS    float64 `json:"sent_bps"`    // payload, bits/s
	GoodputBPS float64 `json:"goodput_bps"` // payload that arrived, bits/s
	// Handover is what a change of the gNB in the middle of the flow did; nil: there was
	// none.
	Handover *Handover `json:"handover,omitempty"`
	// PerUE is the goodput of each UE, Fairness Jain's index of them, 1/n..1; left out of
	// one UE.
	PerUE    []float64 `json:"goodput_bps_per_ue,omitempty"`
	Fairness float64   `json:"fairness,omitempty"`
	// BesideBPS is the goodput of what went on beside.
	BesideBPS float64 `json:"beside_goodput_bps,omitempty"`

	Retransmits uint64  `json:"retransmits"` // TCP segments
	Packets     uint64  `json:"packets"`     // datagrams, pings or pages
	Lost        uint64  `json:"lost"`        // of them
	Reordered   uint64  `json:"reordered"`
	LossRatio   float64 `json:"loss_ratio"` // 0..1
	JitterNS    float64 `json:"jitter_ns"`  // RFC 3550 of UDP; of pings the mean difference of neighbours
	// RTT is that of pings; of TCP that of the sender's kernel (TCP_INFO), over the
	// intervals; of pages the time from the first SYN to the last octet.
	RTT *AppTime `json:"rtt_ns"`
	// FirstByte is the time from the first SYN of a page to its first octet.
	FirstByte *AppTime `json:"first_byte_ns,omitempty"`
	// StalledS is the time of whole intervals in which nothing arrived.
	StalledS float64 `json:"stalled_s,omitempty"`

	Congestion string `json:"congestion,omitempty"` // TCP's congestion control
	MSS        int    `json:"mss,omitempty"`        // octets

	CPU AppCPU `json:"cpu"`
	// OfPlain and OfGateway are the goodput compared with that without a UPF, by plain
	// forwarding and through the gateway with a bare decapsulator; 0: not known.
	OfPlain   float64 `json:"of_plain,omitempty"`
	OfGateway float64 `json:"of_gateway,omitempty"`
	// TooBig is how many packets were too large for a tunnel.
	TooBig uint64 `json:"too_big,omitempty"`
	// SocketDrops is how many datagrams found the receiving program's socket full.
	SocketDrops uint64 `json:"socket_drops,omitempty"`
	// Merged is whether the kernel merged TCP segments (GRO) at the UPF's N6.
	Merged     bool    `json:"gro_at_n6,omitempty"`
	StealRatio float64 `json:"steal_ratio"`

	// Frames is what became of the frames of voice and XR, each way.
	Frames []Frames `json:"frames,omitempty"`

	// OneWay is what packets of upflab's own met meanwhile, each way.
	OneWay []OneWay `json:"one_way,omitempty"`

	Series    []AppPoint    `json:"series,omitempty"`
	CPUSeries []AppCPUPoint `json:"cpu_series,omitempty"` // with the idle time before and after

	LimitedBy Limit    `json:"limited_by"`
	Valid     bool     `json:"valid"`
	Reasons   []string `json:"reasons"`
}

// AppTime is a distribution of times as applications see them, ns.
type AppTime struct {
	Min   uint64 `json:"min"`
	Mean  uint64 `json:"mean"`
	P50   uint64 `json:"p50"`
	P99   uint64 `json:"p99"`
	Max   uint64 `json:"max"`
	Count uint64 `json:"count"`
}

// AppCPU is who used how much CPU, cores.
type AppCPU struct {
	DUT      float64 `json:"dut_cores"`
	Sender   float64 `json:"sender_cores"`   // the application, the busiest of several
	Receiver float64 `json:"receiver_cores"` // likewise
	// RAN is the busiest thread of the RAN's programs, where the RAN is not upflab's gateway.
	RAN float64 `json:"ran_thread_cores,omitempty"`
	// Others is what programs that are not part of the run used, outside the kernel.
	Others float64 `json:"others_cores,omitempty"`
	// Busy is the part of each CPU's time, 0..1, that was not idle, whoever used it.
	Busy []float64 `json:"cpu_busy,omitempty"`
}

// AppPoint is a flow up to T since the point before.
type AppPoint struct {
	T           float64 `json:"t_s"`
	GoodputBPS  float64 `json:"goodput_bps"`
	Retransmits uint64  `json:"retransmits,omitempty"`
	CwndOctets  uint64  `json:"cwnd_octets,omitempty"`
	RTTNS       uint64  `json:"rtt_ns,omitempty"`
	JitterNS    uint64  `json:"jitter_ns,omitempty"`
	LossRatio   float64 `json:"loss_ratio,omitempty"`
}

// AppCPUPoint is the CPUs up to T since the point before, cores. T is negative before the
// flow began.
type AppCPUPoint struct {
	T   float64 `json:"t_s"`
	DUT float64 `json:"dut_cores"`
	All float64 `json:"all_cores"` // whoever used them
}

// AppKey names what a flow measures; repeats have the same.
type AppKey struct {
	Kind         string
	Direction    Direction
	UEs, Streams int
	Beside       string
	OfferedBPS   float64
	Octets       int
	Link         string
	Handover     bool
	Family       string
}

// Handover is a change of the gNB in the middle of a flow.
type Handover struct {
	N4S float64 `json:"n4_s"` // from the Session Modification Request to its answer
	// OutageS is the longest time between two answers to pings of the UE, sent each 2 ms;
	// Lost and Reordered are the pings.
	OutageS   float64 `json:"outage_s"`
	Lost      uint64  `json:"lost_pings"`
	Reordered uint64  `json:"reordered_pings"`
	// ToOld is the packets that went to the tunnel that the UE had left, EndMarkers those
	// that the UPF sent there.
	ToOld      uint64 `json:"to_old_tunnel_packets"`
	EndMarkers uint64 `json:"end_markers"`
	// StallS is how long TCP got nothing through, in intervals of 0.1 s.
	StallS float64 `json:"tcp_stall_s"`
}

// Key names what the flow measures.
func (f *AppFlow) Key() AppKey {
	return AppKey{f.Kind, f.Direction, f.UEs, f.Streams, f.Beside, f.OfferedBPS, f.Octets, f.Link, f.Handover != nil, f.Family}
}

// Frames is what became of data that is due frame by frame in one direction, of all UEs. A frame is the packets that are
// due at once: 20 ms of speech, a picture, a pose. It is there when its last packet is.
type Frames struct {
	Direction Direction `json:"direction"` // uplink or downlink
	Sent      uint64    `json:"sent"`
	Whole     uint64    `json:"whole"`     // each packet of it arrived
	InTime    uint64    `json:"in_time"`   // whole within the budget
	BudgetNS  uint64    `json:"budget_ns"` // the packet delay budget, TS 23.501 clause 5.7.3.4
	// Skipped were not sent: the sender got no CPU when they were due.
	Skipped uint64 `json:"skipped,omitempty"`
	// Delay is from the system call that sends a frame's first packet to where the receiver's kernel gets
	// its last, of whole ones; nil: there are none.
	Delay   *AppTime `json:"delay_ns"`
	Packets uint64   `json:"packets"`
	Lost    uint64   `json:"lost"` // of them
	// JitterNS is the mean difference of the delays of neighbours, ns.
	JitterNS float64 `json:"jitter_ns"`
}

// InTimeRatio is how many of the frames that were sent were whole within the budget, 0..1; 0 of none.
func (f Frames) InTimeRatio() float64 { return float64(f.InTime) / float64(max(f.Sent, 1)) }

// OneWay is what packets of upflab's own met in one direction while an application ran:
// sent at a low, steady rate from or to the flow's first UE, timed by one clock from the
// system call that sends to where the receiver's kernel gets them.
type OneWay struct {
	Direction Direction `json:"direction"` // uplink or downlink
	Sent      uint64    `json:"sent"`      // packets
	Lost      uint64    `json:"lost"`
	LossRatio float64   `json:"loss_ratio"` // 0..1
	Reordered uint64    `json:"reordered"`
	Copies    uint64    `json:"duplicates"`
	Latency   *AppTime  `json:"latency_ns"` // nil: nothing arrived
	// JitterNS is the mean difference of the latencies of neighbours, ns.
	JitterNS float64       `json:"jitter_ns"`
	Series   []OneWayPoint `json:"series,omitempty"`
}

// OneWayPoint is the packets sent up to T since the point before.
type OneWayPoint struct {
	T         float64 `json:"t_s"`
	P50       uint64  `json:"p50_ns,omitempty"` // 0: nothing arrived
	Max       uint64  `json:"max_ns,omitempty"`
	JitterNS  uint64  `json:"jitter_ns,omitempty"`
	LossRatio float64 `json:"loss_ratio"`
}
