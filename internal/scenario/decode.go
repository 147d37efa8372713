package scenario

import (
	"net/netip"

	"github.com/upflab/upflab/internal/record"
)

// decode reads a valid tree. What the schema and checkRanges passed converts;
// anything else comes out as zero and is caught there.
func decode(n *node) *Scenario {
	s := &Scenario{
		Name: n.text("name"), Title: n.text("title"), Description: n.text("description"),
		Study:    decodeStudy(n.get("study")),
		Payload:  n.size("payload"),
		Sessions: n.integer("sessions"),
		Duration: n.duration("duration"),
		Repeats:  n.integer("repeats"),
		Warmup:   n.duration("warmup"),
		Settle:   n.duration("settle"),
		Latency:  decodeLatency(n.get("latency")),
		QFI:      uint8(n.integer("qfi")),
		MTU:      n.integer("mtu"),
		Link:     LinkKind(n.text("link")),
		External: decodeExternal(n.get("external")),
		BPFStats: n.boolean("bpf_stats"),
		Engine:   Engine(n.text("engine")),
		Arrivals: Arrivals(n.text("arrivals")),
		Burst:    n.integer("burst"),
		OnOff:    OnOff{On: n.get("on_off").duration("on"), Off: n.get("on_off").duration("off")},
		PCAP:     n.text("pcap"),
		Search:   decodeSearch(n.get("search")),
		Soak:     decodeSoak(n.get("soak")),
	}
	s.Container = decodeContainer(n.get("container"))
	for _, item := range n.list("directions") {
		s.Directions = append(s.Directions, record.Direction(item.short()))
	}
	for _, item := range n.list("sizes") {
		s.Sizes = append(s.Sizes, Size(item.short()))
	}
	for _, item := range n.list("loads") {
		load, _ := ParseLoad(item.short())
		s.Loads = append(s.Loads, load)
	}
	decodeNetwork(s, n)
	return s
}

func decodeNetwork(s *Scenario, n *node) {
	full := n.get("full")
	s.Full = Full{Duration: full.duration("duration"), Latency: decodeLatency(full.get("latency")),
		Settle: full.duration("settle"), Search: decodeFullSearch(full.get("search"))}
	ue, n3, n4, n6 := n.get("ue"), n.get("n3"), n.get("n4"), n.get("n6")
	pool, _ := netip.ParsePrefix(ue.text("pool"))
	s.UE = UE{Pool: pool, First: ue.addr("first")}
	s.N3 = N3{GNB: n3.addr("gnb"), UPF: n3.addr("upf"), Prefix: n3.integer("prefix"),
		Link: LinkKind(n3.text("link")), Device: n3.text("device"), TesterDevice: n3.text("tester_device")}
	s.N4 = N4{SMF: n4.addr("smf"), UPF: n4.addr("upf"), Prefix: n4.integer("prefix"), NetworkInstance: n4.text("network_instance")}
	s.N6 = N6{UPF: n6.addr("upf"), DN: n6.addr("dn"), Prefix: n6.integer("prefix"),
		Link: LinkKind(n6.text("link")), Device: n6.text("device"), TesterDevice: n6.text("tester_device")}
	teid, udp, cpu := n.get("teid"), n.get("udp"), n.get("cpu")
	s.TEID = TEID{Uplink: uint32(teid.integer("uplink")), Downlink: uint32(teid.integer("downlink")), Assign: Assign(teid.text("assign"))}
	s.UDP = UDP{Source: uint16(udp.integer("source")), Destination: uint16(udp.integer("destination"))}
	s.CPU = CPU{Placement: cpu.text("placement"), Generator: cpu.integer("generator"), Sink: cpu.integer("sink"), DUT: cpu.integer("dut"), Idle: cpu.text("idle")}
}

func decodeStudy(n *node) *record.Study {
	if n == nil {
		return nil
	}
	return &record.Study{Authors: n.text("authors"), Title: n.text("title"), Year: n.integer("year"), URL: n.text("url")}
}

func decodeLatency(n *node) Latency {
	rate := n.get("rate")
	if rate == nil {
		return Latency{}
	}
	load, _ := ParseRate(rate.short())
	return Latency{Rate: load, Duration: n.duration("duration")}
}

func decodeExternal(n *node) *External {
	if n == nil {
		return nil
	}
	e := &External{N3Interface: n.text("n3_interface"), N6Interface: n.text("n6_interface"), Dialect: n.text("dialect"), PID: n.integer("pid"),
		SSH: n.text("ssh"), Process: n.text("process"), NodeExporter: n.text("node_exporter")}
	if e.Dialect == "" {
		e.Dialect = "standard"
	}
	return e
}

func decodeContainer(n *node) *Container {
	if n == nil {
		return nil
	}
	return &Container{Image: n.text("image"), Program: n.text("program")}
}

func (n *node) list(key string) []*node {
	if v := n.get(key); v != nil {
		return v.items
	}
	return nil
}

func (n *node) boolean(key string) bool {
	v, _ := n.get(key).plain().(bool)
	return v
}

func (n *node) integer(key string) int {
	v := n.get(key)
	if v == nil {
		return 0
	}
	switch i := v.scalar.(type) {
	case int64:
		return int(i)
	case uint64:
		return int(i)
	}
	return 0
}

// number is a scalar with or without a fraction.
func (n *node) number(key string) float64 {
	v := n.get(key)
	if v == nil {
		return 0
	}
	switch f := v.scalar.(type) {
	case float64:
		return f
	case int64:
		return float64(f)
	case uint64:
		return float64(f)
	}
	return 0
}

func (n *node) size(key string) int {
	v := n.get(key)
	if v == nil {
		return 0
	}
	size, _ := ParseSize(v.short())
	return size
}

func (n *node) duration(key string) Duration {
	v := n.get(key)
	if v == nil {
		return Duration{}
	}
	d, _ := ParseDuration(v.short())
	return d
}

func (n *node) addr(key string) netip.Addr {
	a, _ := netip.ParseAddr(n.text(key))
	return a
}
