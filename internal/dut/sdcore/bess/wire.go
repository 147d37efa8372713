package bess

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// field is one field of a protocol buffer message.
type field struct {
	number int
	value  uint64 // of a varint
	bytes  []byte // of a string, a message or packed numbers
}

// The wire types (protobuf.dev, Encoding).
const (
	varint  = 0
	fixed64 = 1
	counted = 2
	fixed32 = 5
)

var errShort = errors.New("a protocol buffer message ends too early")

// each calls f for each field of a message that is a varint or has bytes; those
// of fixed length, which BESS uses for timestamps only, are passed over.
func each(message []byte, f func(field) error) error {
	for len(message) > 0 {
		x, kind, n, err := next(message)
		if err != nil {
			return err
		}
		message = message[n:]
		if kind != varint && kind != counted {
			continue
		}
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// next reads the first field and tells how long it is.
func next(b []byte) (x field, kind, n int, err error) {
	tag, n := binary.Uvarint(b)
	if n <= 0 {
		return x, 0, 0, errShort
	}
	x.number, kind = int(tag>>3), int(tag&7)
	var m int
	switch kind {
	case varint:
		x.value, m = binary.Uvarint(b[n:])
	case counted:
		x.bytes, m = countedBytes(b[n:])
	case fixed64:
		m = 8
	case fixed32:
		m = 4
	default:
		return x, 0, 0, fmt.Errorf("wire type %d in a protocol buffer message", kind)
	}
	if m <= 0 || n+m > len(b) {
		return x, 0, 0, errShort
	}
	return x, kind, n + m, nil
}

// countedBytes reads a length and so many bytes; n is 0 when there are fewer.
func countedBytes(b []byte) (value []byte, n int) {
	length, n := binary.Uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return nil, 0
	}
	return b[n : n+int(length)], n + int(length)
}

// text is a message of one string field.
func text(number int, s string) []byte {
	b := binary.AppendUvarint(nil, uint64(number<<3|counted))
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// numbers are packed varints.
func numbers(b []byte) (list []uint64, err error) {
	for len(b) > 0 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errShort
		}
		list, b = append(list, v), b[n:]
	}
	return list, nil
}
