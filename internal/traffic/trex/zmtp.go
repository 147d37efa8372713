package trex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// ZMTP 3.0 (RFC 23 of zeromq.org), without security: what a request socket sends and
// gets. Everything that comes from the peer has a limit.
const (
	flagMore    = 1 << 0
	flagLong    = 1 << 1
	flagCommand = 1 << 2
	flagsKnown  = flagMore | flagLong | flagCommand

	greetingBytes = 64
	// maxFrame is the longest frame that is accepted, octets. TRex limits requests to
	// 1 MB, and its longest answers, statistics of 1152 groups, are shorter.
	maxFrame  = 32 << 20
	maxFrames = 8 // of a message
)

// requester is one connection of a request socket. After an error it is useless.
type requester struct{ conn net.Conn }

// dial connects to a server and shakes hands, within a time.
func dial(address string, within time.Duration) (*requester, error) {
	conn, err := net.DialTimeout("tcp", address, within)
	if err != nil {
		return nil, err
	}
	r := &requester{conn}
	if err = conn.SetDeadline(time.Now().Add(within)); err == nil {
		err = r.shakeHands()
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return r, nil
}

func (r *requester) close() error { return r.conn.Close() }

// ask sends a request and waits for the answer, within a time.
func (r *requester) ask(body []byte, within time.Duration) ([]byte, error) {
	if err := r.conn.SetDeadline(time.Now().Add(within)); err != nil {
		return nil, err
	}
	envelope := appendFrame(nil, flagMore, nil) // the delimiter of RFC 28
	if _, err := r.conn.Write(appendFrame(envelope, 0, body)); err != nil {
		return nil, err
	}
	return readAnswer(r.conn)
}

func (r *requester) shakeHands() error {
	if _, err := r.conn.Write(greeting()); err != nil {
		return err
	}
	if err := readGreeting(r.conn); err != nil {
		return err
	}
	if _, err := r.conn.Write(appendFrame(nil, flagCommand, ready("REQ"))); err != nil {
		return err
	}
	flags, body, err := readFrame(r.conn)
	if err != nil {
		return err
	}
	if flags&flagCommand == 0 || !bytes.HasPrefix(body, []byte("\x05READY")) {
		return errors.New("it speaks ZeroMQ, but did not take the connection")
	}
	return nil
}

// greeting is that of version 3.0 with the mechanism NULL.
func greeting() []byte {
	b := make([]byte, greetingBytes)
	b[0], b[9], b[10] = 0xff, 0x7f, 3
	copy(b[12:32], "NULL")
	return b
}

func readGreeting(from io.Reader) error {
	b := make([]byte, greetingBytes)
	if _, err := io.ReadFull(from, b[:11]); err != nil {
		return err
	}
	if b[0] != 0xff || b[9] != 0x7f {
		return errors.New("what answers there is no ZeroMQ server")
	}
	if b[10] < 3 {
		return fmt.Errorf("it speaks version %d of ZeroMQ's protocol, and 3 is needed", b[10])
	}
	if _, err := io.ReadFull(from, b[11:]); err != nil {
		return err
	}
	if mechanism := string(bytes.TrimRight(b[12:32], "\x00")); mechanism != "NULL" {
		return fmt.Errorf("it asks for ZeroMQ's security %q, and TRex has none", mechanism)
	}
	return nil
}

// ready is the command that ends the handshake.
func ready(socket string) []byte {
	b := append([]byte("\x05READY"), byte(len("Socket-Type")))
	b = append(b, "Socket-Type"...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(socket)))
	return append(b, socket...)
}

func appendFrame(b []byte, flags byte, body []byte) []byte {
	if len(body) > 255 {
		b = append(b, flags|flagLong)
		b = binary.BigEndian.AppendUint64(b, uint64(len(body)))
	} else {
		b = append(b, flags, byte(len(body)))
	}
	return append(b, body...)
}

// readAnswer reads a message that answers a request, and gives its body: what follows the
// empty delimiter. Commands between messages are ignored.
func readAnswer(from io.Reader) ([]byte, error) {
	var frames [][]byte
	for len(frames) < maxFrames {
		flags, body, err := readFrame(from)
		if err != nil {
			return nil, err
		}
		if flags&flagCommand != 0 {
			continue
		}
		frames = append(frames, body)
		if flags&flagMore == 0 {
			return bodyOf(frames)
		}
	}
	return nil, fmt.Errorf("an answer of more than %d frames", maxFrames)
}

func bodyOf(frames [][]byte) ([]byte, error) {
	if len(frames) < 2 || len(frames[0]) != 0 {
		return nil, errors.New("an answer without its envelope")
	}
	return bytes.Join(frames[1:], nil), nil
}

func readFrame(from io.Reader) (flags byte, body []byte, err error) {
	var head [9]byte
	if _, err := io.ReadFull(from, head[:2]); err != nil {
		return 0, nil, err
	}
	flags = head[0]
	n := uint64(head[1])
	if flags&flagLong != 0 {
		if _, err := io.ReadFull(from, head[2:]); err != nil {
			return 0, nil, err
		}
		n = binary.BigEndian.Uint64(head[1:])
	}
	if flags&^flagsKnown != 0 || n > maxFrame {
		return 0, nil, fmt.Errorf("a frame with flags %#x and %d octets, which no TRex sends", flags, n)
	}
	// A frame that is never sent in full must not cost its length in memory.
	var b bytes.Buffer
	if _, err := io.CopyN(&b, from, int64(n)); err != nil {
		return 0, nil, err
	}
	return flags, b.Bytes(), nil
}
