package calibrator

import (
	"github.com/upflab/upflab/internal/lab/dut/calibrator/impair"
	"github.com/upflab/upflab/internal/proto/signature"
)

// Marks reads the signatures of upflab's own traffic, so that the ledger has an
// account for each trial.
type Marks struct{}

var _ impair.Marks = Marks{}

// Read implements impair.Marks: it reads the mark in the payload of a test packet.
func (Marks) Read(payload []byte) impair.Mark {
	s, found := signature.Parse(payload)
	if !found {
		return impair.Mark{}
	}
	return impair.Mark{
		Trial: s.Trial, Stream: uint32(s.Session()), Sequence: s.Sequence, Intended: s.Intended, Sent: s.Sent, Found: true,
	}
}

// Trial implements impair.Marks: it gives where in a payload the number of the trial is.
func (Marks) Trial() (from, to int) { return signature.TrialFrom, signature.TrialTo }
