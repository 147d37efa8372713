package impair

// Mark is what a load generator has written into a packet. The zero value is that
// of a packet without one.
type Mark struct {
	Trial          uint16
	Stream         uint32
	Sequence       uint64 // in the trial and stream
	Intended, Sent uint64 // ns, CLOCK_MONOTONIC: when it was due, and when it was sent
	Found          bool
}

// Marks reads the marks of a load generator. The ledger keeps an account for each
// trial by them.
type Marks interface {
	// Read reads the mark in the payload of a UDP datagram.
	Read(payload []byte) Mark
	// Trial is where in a payload with a mark the number of the trial is, octets
	// from..to: corruption leaves it alone, so that a corrupted packet is in the right
	// account.
	Trial() (from, to int)
}

// noMarks is for packets that have none.
type noMarks struct{}

func (noMarks) Read([]byte) Mark      { return Mark{} }
func (noMarks) Trial() (from, to int) { return 0, 0 }
