package scenario

import (
	"github.com/upflab/upflab/internal/record"
)

// Flow asks for a measurement by an application at UEs, through the UPF, against a
// server in the data network.
type Flow struct {
	// The application: tcp and udp (iperf3), ping (that of iputils), http (pages over new
	// connections), voice (calls) and xr (video of extended reality, with poses uplink).
	Kind string `yaml:"kind" enum:"tcp,udp,ping,http,voice,xr" required:"true" example:"tcp"`
	// IP of the application, and of what goes on beside it; auto: IPv4 where UEs have it (ue.family),
	// else IPv6.
	Family FlowFamily `yaml:"family" enum:"auto,ipv4,ipv6" default:"auto" example:"ipv6"`
	// Which way the data goes; ping, voice and xr go both ways, and pages come downlink.
	Direction record.Direction `yaml:"direction" enum:"uplink,downlink" default:"uplink" example:"downlink"`
	// UEs that do the same at once, from the first on.
	UEs int `yaml:"ues" range:"1..64" default:"1" example:"2"`
	// Connections, streams or calls of each UE; of http pages that it fetches at once.
	Streams int `yaml:"streams" range:"1..128" default:"1" example:"4"`
	// Payload that each stream offers; 0: as much as it can, of xr 30 downlink. The others have none.
	Rate int `yaml:"rate" range:"0..1000000" unit:"Mbit/s" default:"0" example:"5000"`
	// How long; iperf3 takes whole seconds.
	Duration Duration `yaml:"duration" range:"1s..24h" default:"5s" example:"10s"`
	// Payload of a UDP datagram or of a ping, and length of a page; 0: what fills a packet of
	// the UE's MTU, 56 of a ping, 100,000 of a page.
	Octets int `yaml:"octets" range:"0..100000000" unit:"bytes" default:"0" example:"1400"`
	// Time between two pings.
	Interval Duration `yaml:"interval" range:"2ms..1m" default:"20ms" example:"1s"`
	// What another UE does meanwhile: a bulk transfer by TCP, or UDP as fast as it can.
	Beside string `yaml:"beside" enum:"nothing,tcp-uplink,tcp-downlink,udp-uplink,udp-downlink" default:"nothing" example:"tcp-downlink"`
	// Packets of upflab's own, each way, while the application runs: one-way latency, jitter and
	// loss of the flow's first UE; 0: none.
	OneWay int `yaml:"one_way" range:"0..5000" unit:"packets/s" default:"0" example:"200"`
	// The first UE changes to a second gNB in the middle of the flow: its path is switched by
	// PFCP, with end markers, and pings of the UE each 2 ms show the outage.
	Handover bool `yaml:"handover" default:"false" example:"true"`
}

// FlowFamily is the IP that an application uses.
type FlowFamily string

// The families of flows.
const (
	FlowAuto FlowFamily = "auto"
	FlowIPv4 FlowFamily = "ipv4"
	FlowIPv6 FlowFamily = "ipv6"
)

// FamilyOf is the family that a flow has: IPv4 or IPv6.
func (s *Scenario) FamilyOf(f Flow) Family {
	if f.Family == FlowIPv6 || f.Family != FlowIPv4 && !s.UE.Family.IPv4() {
		return FamilyIPv6
	}
	return FamilyIPv4
}

// The kinds of flow.
const (
	FlowTCP   = record.FlowTCP
	FlowUDP   = record.FlowUDP
	FlowPing  = record.FlowPing
	FlowHTTP  = record.FlowHTTP
	FlowVoice = record.FlowVoice
	FlowXR    = record.FlowXR
)

// GRO is whether the kernel merges what arrives at the UPF.
type GRO string

// The values of Scenario.GRO.
const (
	GROAuto GRO = "auto"
	GROOn   GRO = "on"
	GROOff  GRO = "off"
)

// BesideNothing is Flow.Beside where the flow is alone.
const BesideNothing = "nothing"

// Alone reports whether no other UE has traffic meanwhile.
func (f Flow) Alone() bool { return f.Beside == "" || f.Beside == BesideNothing }

// Sessions is how many PDU sessions a flow needs.
func (f Flow) Sessions() int {
	if f.Alone() {
		return f.UEs
	}
	return f.UEs + 1
}

// UEMTU is the largest packet that a UE may send: N3's MTU without outer IPv4 20, UDP 8,
// GTP-U 8 with its optional fields 4, and PDU session container 4.
func (s *Scenario) UEMTU() int { return s.MTU - gtpuOverhead }

const gtpuOverhead = tunnel

// mostConversations is how many calls, or UEs with XR, a flow has at most.
const mostConversations = 64

// mostVideo is the highest rate of XR, Mbit/s: a frame of it fits into a socket's memory.
const mostVideo = 100

// leastMTU is what every IPv4 host has to accept (RFC 791 clause 3.1).
const leastMTU = 576

// QFIOf is the QFI of session i.
func (s *Scenario) QFIOf(i int) uint8 {
	if len(s.QFIs) == 0 {
		return s.QFI
	}
	return uint8(s.QFIs[i%len(s.QFIs)])
}

// InstancesOf are the Network Instances that sessions have, the first session's first.
func (s *Scenario) InstancesOf() []string {
	if len(s.NetworkInstances) == 0 {
		return []string{s.N4.NetworkInstance}
	}
	return s.NetworkInstances
}

// InstanceOf is the Network Instance of session i.
func (s *Scenario) InstanceOf(i int) string {
	all := s.InstancesOf()
	return all[i%len(all)]
}

// LinksOf are the scenarios of each kind of link.
func (s *Scenario) LinksOf() (list []*Scenario) {
	if len(s.Links) == 0 {
		return []*Scenario{s}
	}
	for _, kind := range s.Links {
		one := *s
		one.Link = kind
		list = append(list, &one)
	}
	return list
}

// checkFlows checks what the flows need.
func checkFlows(s *Scenario, r *report) {
	if len(s.Flows) == 0 {
		if len(s.Links) > 0 {
			r.blame("links are for flows, and there are none; set link in place of links", nil, "links")
		}
		checkClasses(s, r)
		if s.GRO != GROAuto && s.GRO != "" {
			r.blame("gro is for flows, and there are none; leave gro out", nil, "gro")
		}
		return
	}
	ip, least := "IPv4", leastMTU
	if s.UE.Family.IPv6() {
		ip, least = "IPv6", leastMTU6
	}
	if s.RAN != RANExternal && s.UEMTU() < least {
		r.blame("mtu %d leaves the UEs %d octets beside GTP-U's %d, and %s needs %d; set mtu to %d or more",
			[]any{s.MTU, s.UEMTU(), gtpuOverhead, ip, least, least + gtpuOverhead}, "mtu", "flows")
	}
	for _, f := range s.Flows {
		checkFlowFamily(s, r, f)
		if n := f.Sessions(); n > s.Sessions && s.RAN != RANExternal { // whose UEs are its interfaces
			r.blame("a flow %s needs %d sessions (a UE each, and one for what goes on beside it), but sessions is %d; set sessions to %d or more",
				[]any{f.Kind, n, s.Sessions, n}, "flows", "sessions")
		}
		if most := s.UEMTU() - headersOf(s.FamilyOf(f)); f.Kind == FlowUDP && f.Octets > most {
			r.blame("flows: UDP datagrams of %d octets do not fit into the UE's MTU of %d (mtu %d - %d of GTP-U), "+
				"which takes %d; set octets to %d or less, or mtu to %d or more",
				[]any{f.Octets, s.UEMTU(), s.MTU, gtpuOverhead, most, most, f.Octets + headersOf(s.FamilyOf(f)) + gtpuOverhead}, "flows", "mtu")
		}
		if n := f.UEs * f.Streams; record.InFrames(f.Kind) && n > mostConversations {
			r.blame("flows: %s takes at most %d conversations, and %d ues with %d streams are %d: each has threads of its own, which send in time",
				[]any{f.Kind, mostConversations, f.UEs, f.Streams, n}, "flows")
		}
		if f.Kind == FlowXR && f.Rate > mostVideo {
			r.blame("flows: xr takes at most %d Mbit/s, and rate is %d: its video is 60 frames a second, each sent at once", []any{mostVideo, f.Rate}, "flows")
		}
		if f.Kind == FlowPing && f.Octets > 65507 {
			r.blame("flows: a ping has at most 65507 octets, and octets is %d", []any{f.Octets}, "flows")
		}
	}
	if s.Search.Preset != SearchOff || s.Soak.Asked() {
		r.blame("flows are applications, and a search or a soak sends test packets; keep one of them in a scenario",
			nil, "flows", "search.preset", "soak.share")
	}
}

// checkFlowFamily refuses a flow of an IP that UEs do not have.
func checkFlowFamily(s *Scenario, r *report, f Flow) {
	if f.Family == FlowAuto || f.Family == "" || s.RAN == RANExternal && f.Family == FlowIPv4 {
		return
	}
	if s.RAN == RANExternal {
		r.blame("a flow %s is of IPv6, and applications at UEs of another RAN (ran: external) are for IPv4; set its family to ipv4",
			[]any{f.Kind}, "flows", "ran")
		return
	}
	has := s.UE.Family
	if f.Family == FlowIPv6 && !has.IPv6() || f.Family == FlowIPv4 && !has.IPv4() {
		r.blame("a flow %s has the family %s, but ue.family is %s; set ue.family to both, or the flow's family to auto",
			[]any{f.Kind, f.Family, has}, "flows", "ue.family")
	}
}

// headersOf is what a UDP datagram has around its payload, octets.
func headersOf(ip Family) int {
	if ip == FamilyIPv6 {
		return 40 + 8
	}
	return 20 + 8
}
