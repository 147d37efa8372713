package hosts

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
)

// Caller asks other hosts.
type Caller interface {
	// Call asks a host, by the name of its testbed, and gives its answer. An error means
	// that there was none.
	Call(ctx context.Context, testbed, method string, question []byte) ([]byte, error)
}

// question is what a host is asked.
type question struct {
	Session string // the measurement
	Body    []byte
}

// reply is what a host answers: what it was asked for, or why it cannot.
type reply struct {
	Failed string
	Gone   bool // it is no part of the measurement any more
	Answer []byte
}

const (
	// packFrom is from which size on messages are packed, octets.
	packFrom = 64 << 10
	// unpackMax is how large one may be then: outcomes of a million sessions have 20 MB.
	unpackMax = 256 << 20
)

// The first octet of a message.
const (
	plain  = 0
	packed = 1
)

// encode writes a message. It is packed when it is long.
func encode(v any) ([]byte, error) {
	b, err := envelope(v)
	if err != nil || len(b) < packFrom {
		return b, err
	}
	out := bytes.NewBuffer([]byte{packed})
	zip := gzip.NewWriter(out)
	_, err = zip.Write(b[1:])
	if err := errors.Join(err, zip.Close()); err != nil {
		return nil, fmt.Errorf("pack a message: %w", err)
	}
	return out.Bytes(), nil
}

// envelope writes what messages are in.
func envelope(v any) ([]byte, error) {
	b := bytes.NewBuffer([]byte{plain})
	if err := gob.NewEncoder(b).Encode(v); err != nil {
		return nil, fmt.Errorf("write a message: %w", err)
	}
	return b.Bytes(), nil
}

// decode reads a message of somebody else.
func decode(data []byte, v any) error {
	if len(data) == 0 {
		return errors.New("an empty message")
	}
	var from io.Reader = bytes.NewReader(data[1:])
	if data[0] == packed {
		zip, err := gzip.NewReader(from)
		if err != nil {
			return fmt.Errorf("unpack a message: %w", err)
		}
		from = io.LimitReader(zip, unpackMax)
	}
	if err := gob.NewDecoder(from).Decode(v); err != nil {
		return fmt.Errorf("read a message: %w", err)
	}
	return nil
}
