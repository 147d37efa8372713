// Package fakeupf is a scripted PFCP peer for tests: a UPF that accepts,
// rejects, loses, repeats or falsifies its answers, over loopback UDP. It
// decodes and encodes with go-pfcp, so that it shares no code with package smf.
package fakeupf

import (
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/message"
)

// Rejection is how a request fails.
type Rejection struct {
	Cause       uint8
	OffendingIE uint16 // 0: none is named
	FailedPDR   uint16 // 0: none is named
}

// Script says how the UPF behaves. The zero value accepts everything.
type Script struct {
	// Reject decides about the n-th session related request, from 0; nil
	// accepts. It is called from one goroutine.
	Reject func(n int, typ uint8) *Rejection
	// RejectNode rejects association requests.
	RejectNode *Rejection
	// DropFirst transmissions of each request are ignored.
	DropFirst int
	// Silent ignores every request.
	Silent bool
	// Twice sends each answer twice.
	Twice bool
	// Mangle changes the octets of each answer before they are sent.
	Mangle func(answer []byte) []byte
	// Elsewhere, when set, is the socket that session answers leave from.
	Elsewhere net.PacketConn
	// OneSEID gives every session the same UP SEID, OneTEID the same F-TEID.
	OneSEID, OneTEID bool
	// NoRelease discards Association Release Requests.
	NoRelease bool
	// NoFTEID leaves Created PDR out although CHOOSE was asked.
	NoFTEID bool
	// Features are the octets of UP Function Features; nil offers FTUP.
	Features []byte
}

// UPF is a running fake.
type UPF struct {
	conn    *net.UDPConn
	script  Script
	started time.Time
	answers chan message.Message

	mu       sync.Mutex
	seen     map[uint32]int // transmissions by sequence number
	requests []message.Message
	sessions int // session related requests so far
	nextSEID uint64
	cpSEIDs  map[uint64]uint64 // by UP SEID
}

// Start runs a UPF on a free port of 127.0.0.1 until the test ends.
func Start(t testing.TB, script Script) *UPF {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	u := &UPF{
		conn: conn, script: script, started: time.Unix(1700000000, 0),
		answers: make(chan message.Message, 16), seen: map[uint32]int{}, nextSEID: 0x5000, cpSEIDs: map[uint64]uint64{},
	}
	var running sync.WaitGroup
	running.Go(u.serve)
	t.Cleanup(func() { conn.Close(); running.Wait() })
	return u
}

// Addr is where the UPF listens.
func (u *UPF) Addr() net.Addr { return u.conn.LocalAddr() }

// Requests returns the requests that were answered, in order, without
// retransmissions.
func (u *UPF) Requests() []message.Message {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]message.Message(nil), u.requests...)
}

// Restart makes the UPF's Recovery Time Stamp a later one.
func (u *UPF) Restart() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.started = u.started.Add(time.Minute)
}

// Send sends octets as they are.
func (u *UPF) Send(to net.Addr, b []byte) error {
	_, err := u.conn.WriteTo(b, to)
	return err
}

// Ask sends a request of the UPF's own and returns the answer.
func (u *UPF) Ask(to net.Addr, m message.Message) (message.Message, error) {
	b := make([]byte, m.MarshalLen())
	if err := m.MarshalTo(b); err != nil {
		return nil, err
	}
	if err := u.Send(to, b); err != nil {
		return nil, err
	}
	select {
	case a := <-u.answers:
		return a, nil
	case <-time.After(2 * time.Second):
		return nil, errors.New("the client did not answer within 2 s")
	}
}
