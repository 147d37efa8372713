package pfcp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/wmnsk/go-pfcp/ie"
)

// Bounds of what Decode takes, well above any real message. They keep the time
// and memory that one datagram costs small.
const (
	MaxIEs   = 4096 // in a message, those in groups included: a session of 256 PDRs has some 3000; under 2 ms
	MaxDepth = 8    // of groups in groups
)

// Why Decode gave up.
var (
	// ErrIEs: the lengths of the IEs do not fit the message, or it has more
	// IEs or deeper groups than the bounds.
	ErrIEs = errors.New("the lengths of the IEs do not fit the message")
	// ErrDecoder: the library panicked on an IE that is shorter than its fields.
	ErrDecoder = errors.New("an IE is shorter than its own fields")
)

// Decode parses a message's IEs and passes them to read. The accessors of
// go-pfcp trust lengths that a peer sends and may panic: everything that uses
// them runs inside read, as this is the one place that recovers. The error is
// read's, or wraps ErrIEs or ErrDecoder.
func Decode(ies []byte, read func([]*ie.IE) error) (err error) {
	defer rescue(&err)
	if err := bounded(ies); err != nil {
		return err
	}
	all, err := ie.ParseMultiIEs(ies)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrIEs, err)
	}
	return read(all)
}

func rescue(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w (%v)", ErrDecoder, p)
	}
}

// bounded refuses what the library would need much time or stack for: it has
// no bounds, and the time it takes grows with the square of the depth.
func bounded(ies []byte) error {
	left := MaxIEs
	return count(ies, MaxDepth, &left)
}

func count(b []byte, depth int, left *int) error {
	for len(b) >= 4 {
		typ, end := binary.BigEndian.Uint16(b), 4+int(binary.BigEndian.Uint16(b[2:]))
		if *left--; *left < 0 {
			return fmt.Errorf("%w: more than %d IEs", ErrIEs, MaxIEs)
		}
		if end > len(b) {
			return fmt.Errorf("%w: IE %d (%s) is longer than what holds it", ErrIEs, typ, IEType(typ))
		}
		if Grouped(typ) {
			if depth == 0 {
				return fmt.Errorf("%w: more than %d groups inside each other", ErrIEs, MaxDepth)
			}
			if err := count(b[4:end], depth-1, left); err != nil {
				return err
			}
		}
		b = b[end:]
	}
	if len(b) > 0 {
		return fmt.Errorf("%w: %d octets are left over", ErrIEs, len(b))
	}
	return nil
}

// Grouped reports whether an IE type is that of a group.
func Grouped(typ uint16) bool {
	i := ie.IE{Type: typ}
	return i.IsGrouped()
}
