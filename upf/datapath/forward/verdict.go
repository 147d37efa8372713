package forward

import "github.com/upflab/upflab/upf/datapath"

// Verdict is what becomes of a packet: Forward, Pass, Slow, or Drop of a reason.
type Verdict int

// The verdicts that are no drops.
const (
	Forward Verdict = -1
	Pass    Verdict = -2 // it is the kernel's
	// Slow: it is forwarded, and was handed on (see datapath.Slow). Of a Router: the destination has a
	// next hop, whose link address is not known yet.
	Slow Verdict = -3
)

// Drop is the verdict on a packet that is dropped.
func Drop(r datapath.Reason) Verdict { return Verdict(r) }

// Reason is why the packet is dropped; false when it is not.
func (v Verdict) Reason() (datapath.Reason, bool) { return datapath.Reason(v), v >= 0 }
