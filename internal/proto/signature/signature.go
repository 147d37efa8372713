// Package signature is what upflab's traffic is recognised by: 32 octets at the start
// of every UDP payload. For BPF programs it is in signature.h; a test of package wire
// compares the two.
//
// On the wire, little-endian:
//
//	octet  0  magic
//	       2  trial
//	       4  session and shape
//	       8  sequence number
//	      16  intended send time, ns of CLOCK_MONOTONIC
//	      24  actual send time
package signature

import "encoding/binary"

// Bytes is the length of a signature.
const Bytes = 32

// Magic starts a signature: "fu".
const Magic = 0x7566

// Fill is every octet of the payload behind the signature, unless its shape says
// otherwise.
const Fill = 'x'

// SessionBits of a word are the session, the others the shape.
const SessionBits = 20

// TrialFrom and TrialTo are where the trial's number is.
const (
	TrialFrom = 2
	TrialTo   = 4
)

// Signature identifies a packet.
type Signature struct {
	Trial          uint16 // even; the odd number before it is that of the trial's warm-up
	Word           uint32 // session and shape
	Sequence       uint64 // in the trial and session
	Intended, Sent uint64 // ns, CLOCK_MONOTONIC: when the packet was due, and when it was sent
}

// Word is session and shape in one number.
func Word(session, shape int) uint32 { return uint32(shape)<<SessionBits | uint32(session) }

// Session is the index of the session.
func (s *Signature) Session() int { return int(s.Word & (1<<SessionBits - 1)) }

// Shape is the index of the kind of packet.
func (s *Signature) Shape() int { return int(s.Word >> SessionBits) }

// Parse reads a signature; false when there is none.
func Parse(b []byte) (Signature, bool) {
	if len(b) < Bytes || binary.LittleEndian.Uint16(b) != Magic {
		return Signature{}, false
	}
	return Signature{
		Trial: binary.LittleEndian.Uint16(b[TrialFrom:]), Word: binary.LittleEndian.Uint32(b[4:]),
		Sequence: binary.LittleEndian.Uint64(b[8:]),
		Intended: binary.LittleEndian.Uint64(b[16:]), Sent: binary.LittleEndian.Uint64(b[24:]),
	}, true
}

// Put writes the signature to the first Bytes of b.
func (s *Signature) Put(b []byte) {
	_ = b[Bytes-1]
	binary.LittleEndian.PutUint16(b, Magic)
	binary.LittleEndian.PutUint16(b[TrialFrom:], s.Trial)
	binary.LittleEndian.PutUint32(b[4:], s.Word)
	binary.LittleEndian.PutUint64(b[8:], s.Sequence)
	binary.LittleEndian.PutUint64(b[16:], s.Intended)
	binary.LittleEndian.PutUint64(b[24:], s.Sent)
}

// Sum is what the signature adds to the sum of the UDP checksum, not folded.
func (s *Signature) Sum() uint64 { return Magic + uint64(s.Word) + s.VaryingSum() }

// VaryingSum is the part of Sum that differs between packets of a session and shape:
// that of the trial, the sequence number and the times.
func (s *Signature) VaryingSum() uint64 {
	sum := uint64(s.Trial)
	for _, w := range [...]uint64{s.Sequence, s.Intended, s.Sent} {
		sum += w&0xffffffff + w>>32
	}
	return sum
}
