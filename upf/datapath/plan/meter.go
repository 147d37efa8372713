package plan

import "github.com/upflab/upflab/upf/session"

// Rate is a maximum bit rate as the datapaths enforce it: the virtual scheduling
// algorithm (GCRA, ITU-T I.371 annex A). Each packet moves the time at which the next
// one conforms; a packet that comes more than Depth before that is too much. Times are
// in units of 2^-16 ns: exact to 0.02 % at 100 Gbit/s, and they wrap after three days,
// which a comparison of differences bears.
type Rate struct {
	Cost  uint64 // of an octet
	Depth uint64 // a multiple of a millisecond
}

// TimeShift makes nanoseconds times of a Rate.
const TimeShift = 16

// The depth of the bucket says what a peer may send at once beyond the rate. It is this
// share of the averaging window, so over any whole window at most an eighth more than the
// rate passes, and bursts of a quarter of a second, as TCP sends them, pass whole. TS 23.501
// clause 5.7.3.6 has the rate calculated over the window and names no algorithm.
const (
	depthShare  = 8
	depthOctets = 4096 // at least
	millisecond = 1e6 << TimeShift
	maxDepth    = 1<<20 - 1 // milliseconds, as far as Packed has room
)

// RateOf is the rate of a QER's maximum bit rate for packets from the interface, which
// has one.
func RateOf(q *session.QER, from session.Interface) Rate {
	const octet = 8 * 1e9 * (1 << TimeShift) // bits, times the units in a second
	cost := (octet + q.MBR(from)/2) / q.MBR(from)
	window := q.Window
	if window == 0 {
		window = session.AveragingWindow
	}
	share := min(uint64(window.Milliseconds()), depthShare*maxDepth) * millisecond / depthShare
	depth := max(share, depthOctets*cost)
	return Rate{Cost: cost, Depth: min((depth+millisecond-1)/millisecond, maxDepth) * millisecond}
}

// packedShift is where Packed has the depth. A cost of 44 bits is that of 30 bit/s, and the
// smallest MBR is 1 kbit/s.
const packedShift = 44

// Packed is the rate in one word, as the BPF programs have it: the cost of an octet in the
// low 44 bits, the depth in milliseconds above.
func (r Rate) Packed() uint64 { return r.Cost | r.Depth/millisecond<<packedShift }

// MaxPacket bounds what one packet can add to a meter, octets.
const MaxPacket = 1 << 16
