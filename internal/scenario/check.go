package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario/document"
)

// Overhead is what N3 carries more than the UDP payload of an inner packet,
// bytes: inner IPv4 20 or IPv6 40 and UDP 8, and the tunnel.
func (s *Scenario) Overhead() int { return s.innerBytes() + s.tunnelBytes() }

// checker compares values that depend on each other, and reports a contradiction at the
// place that the user wrote.
type checker struct {
	s        *Scenario
	root     *document.Node
	problems []document.Problem
}

// check finds what a schema cannot say.
func check(s *Scenario, root *document.Node) []document.Problem {
	c := &checker{s: s, root: root}
	c.loads()
	c.latency("latency", s.Latency)
	c.latency("full.latency", s.Full.Latency)
	c.sizes()
	c.mtu()
	c.teids()
	c.addresses()
	c.family()
	c.streams()
	c.ecn()
	c.transport()
	c.search()
	c.stress()
	c.control()
	c.arrivals()
	c.cycles()
	c.links()
	c.external()
	c.externalUE()
	c.hosts()
	c.trex()
	c.severalGNBs()
	c.cpus()
	c.flows()
	c.thresholds()
	c.kind()
	c.until()
	c.unused()
	return c.problems
}

// blame records a contradiction between keys. It is shown at the key from the source that
// wins: --set before the file before the defaults.
func (c *checker) blame(format string, args []any, keys ...string) {
	at, key := c.root.At, ""
	for _, k := range keys {
		if n := c.root.Find(k); n != nil && (key == "" || n.At.Source.Rank > at.Source.Rank) {
			at, key = n.At, k
		}
	}
	c.problems = append(c.problems, document.ProblemAt(at, key, format, args...))
}

func (c *checker) loads() {
	seen := map[record.Load]string{}
	for i, load := range c.s.Loads {
		item := c.root.Find("loads").Items[i]
		text := item.Short()
		if first, twice := seen[load]; twice {
			c.problems = append(c.problems,
				document.ProblemAt(item.At, "loads",
					"loads has the same rate twice, %s and %s; keep one (repeats is for doing a trial again)", first, text))
		}
		seen[load] = text
		c.sends(load, c.s.Duration, "duration")
		c.sends(load, c.s.Full.Duration, "full.duration")
	}
}

// arrivals checks what a replay needs.
func (c *checker) arrivals() {
	replays := c.s.Arrivals == Replay
	if replays && c.s.PCAP == "" {
		c.blame("arrivals replay needs a capture; set pcap to the path of a pcap or pcapng file", nil, "arrivals")
	}
	if !replays && c.s.PCAP != "" {
		c.blame("pcap is set but arrivals is %s; set arrivals to replay", []any{c.s.Arrivals}, "pcap", "arrivals")
	}
	if replays && len(c.s.Sizes) > 0 {
		c.blame("a capture that is replayed has its own sizes; leave sizes out", nil, "sizes", "arrivals")
	}
	for _, l := range c.s.Loads {
		if l.Kind == record.LoadRecorded && !replays {
			c.blame("a load of recorded is the rate of a capture; set arrivals to replay and pcap to a capture, "+
				"or load to a rate", nil, "loads", "arrivals")
		}
	}
}

// longestCycle is how many packets an on/off cycle has at most.
const longestCycle = 1 << 16

// cycles refuses loads of which a cycle cannot be sent.
func (c *checker) cycles() {
	if c.s.Arrivals != OnAndOff {
		return
	}
	cycle := Duration{c.s.OnOff.On.Duration + c.s.OnOff.Off.Duration}
	for _, load := range append(slices.Clone(c.s.Loads), c.s.Latency.Rate) {
		if n := packets(load, cycle); n > longestCycle {
			c.blame("a cycle of %v on and off has %.0f packets at a load of %s, and %d can be sent; shorten "+
				"on_off.on and on_off.off, or lower loads",
				[]any{cycle, n, load, longestCycle}, "on_off.on", "on_off.off", "loads", "arrivals")
			return
		}
	}
}

// sends refuses a trial without a packet.
func (c *checker) sends(load record.Load, d Duration, key string) {
	if load.PPS > 0 && packets(load, d) < 1 {
		c.blame("a load of %s packets/s for %s sends nothing; raise loads or %s", []any{load, d, key}, key, "loads")
	}
}

func (c *checker) latency(key string, l Latency) {
	if packets(l.Rate, l.Duration) < 1 {
		c.blame("a latency trial of %s packets/s for %s sends nothing; raise %s.rate or %s.duration",
			[]any{l.Rate, l.Duration, key, key}, key+".duration", key+".rate")
	}
}

// packets is how many slots fall due.
func packets(l record.Load, d Duration) float64 {
	return l.PPS * float64(d.Duration) / float64(time.Second)
}

// sizes refuses what a direction of the scenario cannot send.
func (c *checker) sizes() {
	for i, size := range c.s.Sizes {
		if _, _, err := c.s.resolveSize(size); err != nil {
			item := c.root.Find("sizes").Items[i]
			c.problems = append(c.problems, document.ProblemAt(item.At, "sizes", "sizes: %v", err))
		}
	}
}

// mtu holds the largest packet of each size against N3's MTU.
func (c *checker) mtu() {
	for _, size := range c.s.PacketSizes() {
		payload := c.s.largest(size)
		need := payload + c.s.Overhead()
		if c.s.MTU >= need {
			continue
		}
		if len(c.s.Sizes) > 0 {
			c.blame("the size %s has a payload of up to %d and needs an MTU of %d on N3 (%d more: inner %s and outer "+
				"%s with UDP, GTP-U, PDU session container), but mtu is %d; set mtu to %d or more, or leave the size out",
				[]any{size.Name, payload, need, c.s.Overhead(), c.s.innerIP(), c.s.Transport.Word(), c.s.MTU, need}, "sizes", "mtu")
			return
		}
		c.blame("payload %d needs an MTU of %d on N3 (%d more: inner %s and outer %s with UDP, GTP-U, PDU session "+
			"container), but mtu is %d; set mtu to %d or more, or payload to %s",
			[]any{payload, need, c.s.Overhead(), c.s.innerIP(), c.s.Transport.Word(), c.s.MTU, need, atMost(c.s.MTU - c.s.Overhead())}, "payload", "mtu")
	}
}

func atMost(n int) string { return fmt.Sprintf("%d or less", n) }

// teids holds the last TEID of each direction within its 32 bits (TS 29.281
// clause 5.1).
func (c *checker) teids() {
	const last = 1<<32 - 1
	for _, t := range []struct {
		key   string
		first uint32
	}{{"teid.uplink", c.s.TEID.Uplink}, {"teid.downlink", c.s.TEID.Downlink}} {
		span := 2 * uint64(c.s.Sessions-1)
		if uint64(t.first)+span > last {
			c.blame("%d sessions from %s %d end beyond the last TEID, %d; start at %d or lower",
				[]any{c.s.Sessions, t.key, t.first, uint64(last), last - span}, t.key, "sessions")
		}
	}
}

// external allows one source of the UPF's CPU time.
func (c *checker) external() {
	x := c.s.External
	if x == nil {
		return
	}
	if !c.s.FarTester() && (x.N3Interface == "" || x.N6Interface == "") {
		c.blame("external needs n3_interface and n6_interface, unless other hosts or TRex generate; add "+
			"what is missing", nil, "external.n3_interface", "external.n6_interface")
	}
	if (x.SSH == "") != (x.Process == "") {
		c.blame("external.ssh and external.process go together: name the host and the UPF's process on it", nil,
			"external.ssh", "external.process")
	}
	if x.SSH != "" && x.NodeExporter != "" {
		c.blame("external.ssh and external.node_exporter both give the CPU; keep one", nil, "external.node_exporter", "external.ssh")
	}
}

// search needs room between its ends.
func (c *checker) search() {
	if s := c.s.Search; s.Min.PPS >= s.Max.PPS {
		c.blame("search.min is %s and search.max %s: nothing lies between", []any{s.Min, s.Max}, "search.min", "search.max")
	}
	seen := map[string]bool{}
	for _, g := range c.s.Search.Goals {
		if seen[g.Name] {
			c.blame("two goals are called %s; give each its own name", []any{g.Name}, "search.goals")
		}
		seen[g.Name] = true
	}
}

func (c *checker) cpus() {
	cpu := c.s.CPU
	senders, dut := cpu.Generator.List(), cpu.DUT.List()
	if n := len(senders); n > 1 && c.s.Sessions < n {
		c.blame("cpu.generator names %d CPUs, and all packets of a session are sent by one, but there are %d "+
			"sessions; set sessions to %d or more, or name fewer CPUs",
			[]any{n, c.s.Sessions, n}, "cpu.generator", "sessions")
	}
	if len(senders) == 0 || len(dut) == 0 {
		return
	}
	both := slices.DeleteFunc(slices.Clone(senders), func(cpu int) bool { return !slices.Contains(dut, cpu) })
	if len(both) > 0 && cpu.Placement == "separate" {
		c.blame("cpu.placement separate gives the DUT CPUs of its own, but generator and dut both have %d; name others, or placement shared",
			[]any{both[0]}, "cpu.dut", "cpu.generator", "cpu.placement")
	}
	if len(both) == 0 && cpu.Placement == "shared" {
		c.blame("cpu.placement shared puts all on one CPU, but generator is %s and dut %s; name one, or placement separate",
			[]any{cpu.Generator, cpu.DUT}, "cpu.dut", "cpu.generator", "cpu.placement")
	}
}

// clash is something that a value does not go with, and the key that asks for it.
type clash struct {
	asked     bool
	what, key string
}

// clashes blames a key's value for the first of those that are asked for; instead is a value that goes with all.
func (c *checker) clashes(key string, value any, instead string, list ...clash) {
	for _, x := range list {
		if x.asked {
			c.blame("%s is %v, but %s; set %s to %s", []any{key, value, x.what, key, instead}, key, x.key)
			return
		}
	}
}
