package plan

import "github.com/upflab/upflab/upf/session"

// Rate is a maximum bit rate as the datapaths enforce it: the virtual scheduling
// algorithm (GCRA, ITU-T I.371 annex A). Each packet moves the time at which the next
// one conforms; a packet that comes more than Depth before that is too much. Times are
// in units of 2^-16 ns: exact to 0.02 % at 100 Gbit/s, and they wrap after three days,
// which a comparison of differences bears.
type Rate struct {
	Cost  uint64 // of an octet
	Depth uint64
}

// TimeShift makes nanoseconds times of a Rate.
const TimeShift = 16

// The depth of the bucket: what a peer may send at once beyond the rate.
const (
	depthTime   = 5e6  // ns
	depthOctets = 4096 // at least
)

// RateOf is the rate of a QER's maximum bit rate for packets from the interface, which
// has one.
func RateOf(q *session.QER, from session.Interface) Rate {
	const octet = 8 * 1e9 * (1 << TimeShift) // bits, times the units in a second
	cost := (octet + q.MBR(from)/2) / q.MBR(from)
	return Rate{Cost: cost, Depth: max(depthTime<<TimeShift, depthOctets*cost)}
}

// MaxPacket bounds what one packet can add to a meter, octets.
const MaxPacket = 1 << 16
