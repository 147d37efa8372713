package hosts

import (
	"net"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// The methods of a part, with what is asked and answered.
const (
	methodOpen    = "open"    // opening: opened
	methodClock   = "clock"   // nothing: Reading
	methodMove    = "move"    // moving: nothing
	methodFind    = "find"    // finding: found
	methodLoad    = "load"    // loading: nothing
	methodPrepare = "prepare" // preparing: nothing
	methodSend    = "send"    // Of: nothing
	methodWait    = "wait"    // waiting: progress
	methodGo      = "go"      // starting: nothing
	methodStop    = "stop"    // Of: nothing
	methodSent    = "sent"    // Of: count
	methodSource  = "source"  // Of: traffic.Outcome
	methodBegin   = "begin"   // beginning: nothing
	methodArrived = "arrived" // Of: count
	methodLatency = "latency" // Of: traffic.Histogram
	methodSink    = "sink"    // arriving: traffic.FlowOutcome
	methodWindows = "windows" // switching: ability
	methodLook    = "look"    // looking: looked
	methodExtend  = "extend"  // extending: nothing
	methodCounted = "counted" // Of: countedOutcome
	methodAlive   = "alive"   // nothing: nothing
	methodClose   = "close"   // nothing: nothing
)

// nothing is an answer without anything in it.
type nothing struct{ Nothing bool }

// opening asks a host to take part.
type opening struct {
	Leader string // for the host to say by whom it is used
	Device string // the port that sends and receives
	CPUs   []int  // that send; none: the last one
}

// opened is what a host says of itself.
type opened struct {
	Host, Kernel string
	CPUs         []int // that send
	MAC          net.HardwareAddr
	Clock        Reading
	PTP          *record.PTP // nil: no ptp4l
}

// finding asks for the MAC address of who has an address behind the host's port.
type finding struct{ Address netip.Addr }

type found struct{ MAC net.HardwareAddr }

// moving sets the clock that all have in common: so many ns later than the host's own.
type moving struct {
	By int64
}

// loading says what a host sends and receives.
type loading struct {
	Flows   []traffic.Flow // without streams, which are alike in all
	Streams streams
	Shares  []traffic.Share // of its sources
	Sinks   []int           // flows that arrive at its port
	Buffers bool
	AFXDP   bool  // its sources send by AF_XDP, a queue each, rather than by XDP
	Sends   int   // the flow that they send
	Back    lanes // of the sessions whose packets its sinks send back
}

// lanes are the sessions whose number modulo Lanes is below Below.
type lanes struct{ Lanes, Below int }

// Of names a source or a sink of a host.
type Of struct {
	Sink bool
	N    int
}

type preparing struct {
	Of
	Schedule traffic.Schedule
	Trial    uint16
}

// phase is how far a source is with a trial.
type phase int

const (
	warming phase = iota
	quiet         // the warm-up was sent
	agreeing
	sending
	ended
)

// waiting asks for what comes after a phase.
type waiting struct {
	Of
	After phase
}

// progress is how far a source is. It is asked again when that is no further.
type progress struct {
	Phase  phase
	First  uint64 // in agreeing: when it could begin, ns
	Failed string
}

// starting lets a source go on from quiet, or from agreeing at a time.
type starting struct {
	Of
	First uint64
}

type count struct{ N uint64 }

type beginning struct {
	Of
	Trial uint16
	Back  uint32 // one packet in so many is sent back: traffic.Returner
}

// arriving asks a sink for its outcome. Of each session so many were sent.
type arriving struct {
	Of
	Sent []uint64
}

type switching struct {
	Of
	On bool
}

type ability struct{ Can bool }

// folding is a window that was decided on.
type folding struct {
	ID   uint64
	Keep bool
}

// looking folds windows, and asks for the state of others.
type looking struct {
	Of
	Fold []folding
	From uint64 // the first window to look at; 0: none
}

// looked says of windows from the first one on whether they are complete, and undisturbed
// on that host: of as many as have ended long enough ago, and of one at least.
type looked struct{ Good []bool }

type extending struct {
	Of
	By time.Duration
}

// countedOutcome is what was counted by windows, by a source or a sink.
type countedOutcome struct {
	Sent, SentElse         traffic.Outcome
	Received, ReceivedElse traffic.FlowOutcome
}
