package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario/document"
)

// report collects contradictions between values, each at the place that the user wrote.
type report struct {
	root     *document.Node
	problems []document.Problem
}

// checks are the groups of keys whose values depend on each other. Each finds what a schema cannot say; a test holds
// that none is forgotten.
func checks() []func(*Scenario, *report) {
	return []func(*Scenario, *report){
		checkLoads, checkLatencies, checkStacks, eachStack(checkSizes), eachStack(checkMTU), checkTEIDs, checkAddresses, checkFamily,
		eachStack(checkStreams), checkECN,
		checkTransport, checkSearch, checkStress, checkControl, checkArrivals, checkCycles, checkLinks, checkExternal,
		checkExternalUE, checkHosts, checkTRex, checkSeveralGNBs, checkCPUs, checkFlows, checkThresholds, checkKind,
		checkUntil, checkIPsec, checkUnused,
	}
}

// check finds what a schema cannot say.
func check(s *Scenario, root *document.Node) []document.Problem {
	r := &report{root: root}
	for _, find := range checks() {
		find(s, r)
	}
	return r.problems
}

// blame records a contradiction between keys. It is shown at the key from the source that
// wins: --set before the file before the defaults.
func (r *report) blame(format string, args []any, keys ...string) {
	at, key := r.root.At, ""
	for _, k := range keys {
		if n := r.root.Find(k); n != nil && (key == "" || n.At.Source.Rank > at.Source.Rank) {
			at, key = n.At, k
		}
	}
	r.problems = append(r.problems, document.ProblemAt(at, key, format, args...))
}

func checkLoads(s *Scenario, r *report) {
	seen := map[record.Load]string{}
	for i, load := range s.Loads {
		item := r.root.Find("loads").Items[i]
		text := item.Short()
		if first, twice := seen[load]; twice {
			r.problems = append(r.problems,
				document.ProblemAt(item.At, "loads",
					"loads has the same rate twice, %s and %s; keep one (repeats is for doing a trial again)", first, text))
		}
		seen[load] = text
		checkSends(r, load, s.Duration, "duration")
		checkSends(r, load, s.Full.Duration, "full.duration")
	}
}

// checkArrivals checks what a replay needs.
func checkArrivals(s *Scenario, r *report) {
	replays := s.Arrivals == Replay
	if replays && s.PCAP == "" {
		r.blame("arrivals replay needs a capture; set pcap to the path of a pcap or pcapng file", nil, "arrivals")
	}
	if !replays && s.PCAP != "" {
		r.blame("pcap is set but arrivals is %s; set arrivals to replay", []any{s.Arrivals}, "pcap", "arrivals")
	}
	if replays && len(s.Sizes) > 0 {
		r.blame("a capture that is replayed has its own sizes; leave sizes out", nil, "sizes", "arrivals")
	}
	for _, l := range s.Loads {
		if l.Kind == record.LoadRecorded && !replays {
			r.blame("a load of recorded is the rate of a capture; set arrivals to replay and pcap to a capture, "+
				"or load to a rate", nil, "loads", "arrivals")
		}
	}
}

// longestCycle is how many packets an on/off cycle has at most.
const longestCycle = 1 << 16

// checkCycles refuses loads of which a cycle cannot be sent.
func checkCycles(s *Scenario, r *report) {
	if s.Arrivals != OnAndOff {
		return
	}
	cycle := Duration{s.OnOff.On.Duration + s.OnOff.Off.Duration}
	for _, load := range append(slices.Clone(s.Loads), s.Latency.Rate) {
		if n := packets(load, cycle); n > longestCycle {
			r.blame("a cycle of %v on and off has %.0f packets at a load of %s, and %d can be sent; shorten "+
				"on_off.on and on_off.off, or lower loads",
				[]any{cycle, n, load, longestCycle}, "on_off.on", "on_off.off", "loads", "arrivals")
			return
		}
	}
}

// checkSends refuses a trial without a packet.
func checkSends(r *report, load record.Load, d Duration, key string) {
	if load.PPS > 0 && packets(load, d) < 1 {
		r.blame("a load of %s packets/s for %s sends nothing; raise loads or %s", []any{load, d, key}, key, "loads")
	}
}

// checkLatencies are the latency trials of short runs and of full ones.
func checkLatencies(s *Scenario, r *report) {
	checkLatency(r, "latency", s.Latency)
	checkLatency(r, "full.latency", s.Full.Latency)
}

func checkLatency(r *report, key string, l Latency) {
	if packets(l.Rate, l.Duration) < 1 {
		r.blame("a latency trial of %s packets/s for %s sends nothing; raise %s.rate or %s.duration",
			[]any{l.Rate, l.Duration, key, key}, key+".duration", key+".rate")
	}
}

// packets is how many slots fall due.
func packets(l record.Load, d Duration) float64 {
	return l.PPS * float64(d.Duration) / float64(time.Second)
}

// checkSizes refuses what a direction of the scenario cannot send.
func checkSizes(s *Scenario, r *report) {
	for i, size := range s.Sizes {
		if _, _, err := s.sizing().resolve(size); err != nil {
			item := r.root.Find("sizes").Items[i]
			r.problems = append(r.problems, document.ProblemAt(item.At, "sizes", "sizes: %v", err))
		}
	}
}

// checkMTU holds the largest packet of each size against N3's MTU.
func checkMTU(s *Scenario, r *report) {
	for _, size := range s.PacketSizes() {
		payload := s.sizing().largest(size)
		need := payload + s.Overhead()
		if s.MTU >= need {
			continue
		}
		if len(s.Sizes) > 0 {
			r.blame("the size %s has a payload of up to %d and needs an MTU of %d on N3 (%d more: inner %s and outer "+
				"%s with UDP, GTP-U, PDU session container), but mtu is %d; set mtu to %d or more, or leave the size out",
				[]any{size.Name, payload, need, s.Overhead(), s.sizing().innerIP(), s.Transport.Word(), s.MTU, need}, "sizes", "mtu")
			return
		}
		r.blame("payload %d needs an MTU of %d on N3 (%d more: inner %s and outer %s with UDP, GTP-U, PDU session "+
			"container), but mtu is %d; set mtu to %d or more, or payload to %s",
			[]any{payload, need, s.Overhead(), s.sizing().innerIP(), s.Transport.Word(), s.MTU, need, atMost(s.MTU - s.Overhead())}, "payload", "mtu")
	}
}

func atMost(n int) string { return fmt.Sprintf("%d or less", n) }

// checkTEIDs holds the last TEID of each direction within its 32 bits (TS 29.281
// clause 5.1).
func checkTEIDs(s *Scenario, r *report) {
	const last = 1<<32 - 1
	for _, t := range []struct {
		key   string
		first uint32
	}{{"teid.uplink", s.TEID.Uplink}, {"teid.downlink", s.TEID.Downlink}} {
		span := 2 * uint64(s.Sessions-1)
		if uint64(t.first)+span > last {
			r.blame("%d sessions from %s %d end beyond the last TEID, %d; start at %d or lower",
				[]any{s.Sessions, t.key, t.first, uint64(last), last - span}, t.key, "sessions")
		}
	}
}

// checkExternal allows one source of the UPF's CPU time.
func checkExternal(s *Scenario, r *report) {
	x := s.External
	if x == nil {
		return
	}
	if !s.FarTester() && (x.N3Interface == "" || x.N6Interface == "") {
		r.blame("external needs n3_interface and n6_interface, unless other hosts or TRex generate; add "+
			"what is missing", nil, "external.n3_interface", "external.n6_interface")
	}
	if (x.SSH == "") != (x.Process == "") {
		r.blame("external.ssh and external.process go together: name the host and the UPF's process on it", nil,
			"external.ssh", "external.process")
	}
	if x.SSH != "" && x.NodeExporter != "" {
		r.blame("external.ssh and external.node_exporter both give the CPU; keep one", nil, "external.node_exporter", "external.ssh")
	}
}

// checkSearch needs room between its ends.
func checkSearch(s *Scenario, r *report) {
	if of := s.Search; of.Min.PPS >= of.Max.PPS {
		r.blame("search.min is %s and search.max %s: nothing lies between", []any{of.Min, of.Max}, "search.min", "search.max")
	}
	seen := map[string]bool{}
	for _, g := range s.Search.Goals {
		if seen[g.Name] {
			r.blame("two goals are called %s; give each its own name", []any{g.Name}, "search.goals")
		}
		seen[g.Name] = true
	}
}

func checkCPUs(s *Scenario, r *report) {
	cpu := s.CPU
	senders, dut := cpu.Generator.List(), cpu.DUT.List()
	if n := len(senders); n > 1 && s.Sessions < n {
		r.blame("cpu.generator names %d CPUs, and all packets of a session are sent by one, but there are %d "+
			"sessions; set sessions to %d or more, or name fewer CPUs",
			[]any{n, s.Sessions, n}, "cpu.generator", "sessions")
	}
	if len(senders) == 0 || len(dut) == 0 {
		return
	}
	both := slices.DeleteFunc(slices.Clone(senders), func(cpu int) bool { return !slices.Contains(dut, cpu) })
	if len(both) > 0 && cpu.Placement == "separate" {
		r.blame("cpu.placement separate gives the DUT CPUs of its own, but generator and dut both have %d; name others, or placement shared",
			[]any{both[0]}, "cpu.dut", "cpu.generator", "cpu.placement")
	}
	if len(both) == 0 && cpu.Placement == "shared" {
		r.blame("cpu.placement shared puts all on one CPU, but generator is %s and dut %s; name one, or placement separate",
			[]any{cpu.Generator, cpu.DUT}, "cpu.dut", "cpu.generator", "cpu.placement")
	}
}

// clash is something that a value does not go with, and the key that asks for it.
type clash struct {
	asked     bool
	what, key string
}

// clashes blames a key's value for the first of those that are asked for; instead is a value that goes with all.
func (r *report) clashes(key string, value any, instead string, list ...clash) {
	for _, x := range list {
		if x.asked {
			r.blame("%s is %v, but %s; set %s to %s", []any{key, value, x.what, key, instead}, key, x.key)
			return
		}
	}
}
