package upgvpp

import (
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
)

// nodeTime is a node's line of `show runtime`: what it did since the last clear.
type nodeTime struct {
	thread  int // VPP's number
	name    string
	state   string // "polling", "active", "interrupt wa", "event wait" ...
	calls   float64
	vectors float64 // packets
	clocks  float64 // cycles for all of them
}

// parseRuntime reads `show runtime`. Lines that are no node's are left out.
func parseRuntime(text string) []nodeTime {
	var list []nodeTime
	thread := 0
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) >= 2 && f[0] == "Thread" {
			thread, _ = strconv.Atoi(f[1])
		}
		if n, ok := parseNode(f); ok {
			n.thread = thread
			list = append(list, n)
		}
	}
	return list
}

// parseNode reads name, state (of one or two words), calls, vectors, suspends,
// clocks, vectors a call. Clocks are for each packet, where there are none for
// each call, else for each suspend.
func parseNode(f []string) (n nodeTime, ok bool) {
	if len(f) < 7 {
		return n, false
	}
	const most = 1e18 // keeps sums of products finite
	var v [5]float64
	for i := range v {
		var err error
		if v[i], err = strconv.ParseFloat(f[len(f)-5+i], 64); err != nil || !(v[i] >= 0 && v[i] <= most) {
			return n, false
		}
	}
	n = nodeTime{name: f[0], state: strings.Join(f[1:len(f)-5], " "), calls: v[0], vectors: v[1], clocks: v[3]}
	for _, times := range []float64{v[1], v[0], v[2]} {
		if times > 0 {
			n.clocks *= times
			break
		}
	}
	return n, true
}

// input reports whether a node fetches packets or events: such a node runs even when
// there are none. VPP writes twelve letters of the state.
func (n nodeTime) input() bool {
	return n.state == "polling" || strings.HasPrefix(n.state, "interrupt")
}

// process reports whether a node is one of VPP's control threads, whose clocks keep
// counting while it is suspended. The command line's is "active" while it answers.
func (n nodeTime) process() bool {
	return n.state != "active" && !n.input() || strings.HasPrefix(n.name, "unix-cli-process")
}

// sleeps reports whether a thread waits for files and timers in this node.
func (n nodeTime) sleeps() bool {
	return n.name == "unix-epoll-input" || n.name == "session-queue" || n.name == "upf-timer-expire"
}

// account adds up useful and all cycles of the data path.
type account struct {
	dut.Work
	idle map[string]float64 // cycles of a call that finds nothing, by thread and node: the least seen
}

// add takes what nodes did since the account was last added to.
func (a *account) add(nodes []nodeTime) dut.Work {
	if a.idle == nil {
		a.idle = map[string]float64{}
	}
	for _, n := range nodes {
		if n.process() {
			continue
		}
		a.Total += n.clocks
		if !n.sleeps() {
			a.Busy += a.busy(n)
		}
	}
	return a.Work
}

// busy are the cycles that moved packets: all of a node within the graph, which
// runs for packets only, and of one that polls what is above its idle calls.
func (a *account) busy(n nodeTime) float64 {
	if !n.input() {
		return n.clocks
	}
	if n.calls == 0 {
		return 0
	}
	key, each := strconv.Itoa(n.thread)+n.name, n.clocks/n.calls
	if idle, seen := a.idle[key]; !seen || each < idle {
		a.idle[key] = each
	}
	if n.vectors == 0 {
		return 0
	}
	return max(0, n.clocks-n.calls*a.idle[key])
}
