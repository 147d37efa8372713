package datapath

import (
	"io"
	"time"
)

// Capturer is a datapath that copies the packets of a session, as they come to it and as
// they leave.
type Capturer interface {
	// Capture calls f with each, one after the other, until what it gives is closed; f
	// must not block for long, nor keep the bytes.
	Capture(of []WatchKey, f func(Seen)) (io.Closer, error)
}

// Seen is a packet that was captured.
type Seen struct {
	At      time.Time
	N6      bool   // at N6, not at N3
	Out     bool   // it left there
	Dropped bool   // what came last was dropped; there are no bytes
	Length  int    // of the frame, octets without FCS
	Frame   []byte // the first of them
}
