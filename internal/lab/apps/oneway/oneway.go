// Package oneway measures the delay of packets in one direction between two sockets of
// this machine: signed datagrams at a steady, low rate, timed by one clock.
package oneway

import (
	"iter"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/threads"
)

// Options say what is sent.
type Options struct {
	Every  time.Duration // between two packets
	Octets int           // payload of a datagram; at least signature.Bytes
	Trial  uint16        // tells streams apart that arrive at the same socket
	// Bursts are what is sent in place of a steady rate, in the order of time: each in datagrams of Octets, its last one
	// of what is left. Nil: one datagram each Every.
	Bursts iter.Seq[Burst]
}

// Burst is data that is due at once: a frame of video, or of speech.
type Burst struct {
	Due    time.Duration // since the start
	Octets int           // in all
}

// Sending is a burst that was sent: its packets have the sequence numbers from First on.
type Sending struct {
	First, Packets uint64
	Began          time.Duration // when its first packet was sent, since the first was due
}

// Packet is one that arrived.
type Packet struct {
	Sequence uint64
	Sent     time.Duration // since the first was due
	// Latency is from the system call that sends it to where the receiver's kernel gets
	// it: the waiting of either program for a CPU is in neither.
	Latency time.Duration
}

// Report is what became of a stream.
type Report struct {
	Sent       []time.Duration // of each packet, since the first was due
	Packets    []Packet        // in the order of arrival, each once
	Duplicates uint64
	Reordered  uint64 // arrived after one that was sent later
	// Full is how many packets found the receiver's socket full, as far as a later one says.
	Full uint64
	// Bursts are those that were sent, Skipped how many were not, or not whole: the sender got no CPU when they were due, or
	// the kernel did not take a packet.
	Bursts  []Sending
	Skipped uint64
}

// Lost is how many did not arrive.
func (r *Report) Lost() uint64 { return uint64(len(r.Sent) - len(r.Packets)) }

// Stream is under way until it is stopped.
type Stream struct {
	from, to *net.UDPConn
	options  Options
	start    int64 // ns, CLOCK_MONOTONIC
	quit     chan struct{}
	stopping sync.Once
	sending  sync.WaitGroup
	reading  sync.WaitGroup
	ended    atomic.Bool
	report   Report
	seen     map[uint64]bool
}

// straggle is how long a packet may be under way after the last was sent.
const straggle = 300 * time.Millisecond

// Start sends from a socket to another one's address until Stop. Nobody else reads the
// second socket meanwhile.
func Start(from, to *net.UDPConn, o Options) (*Stream, error) {
	if err := stamp(to); err != nil {
		return nil, err
	}
	o.Octets = max(o.Octets, signature.Bytes)
	s := &Stream{from: from, to: to, options: o, start: int64(threads.Monotonic()), quit: make(chan struct{}), seen: map[uint64]bool{}}
	s.reading.Go(s.receive)
	if o.Bursts == nil {
		s.sending.Go(s.send)
		return s, nil
	}
	s.sending.Add(1)
	threads.Once(func() { // a frame is due at its time, whoever else wants the CPU
		defer s.sending.Done()
		threads.GoFirst()
		s.send()
	})
	return s, nil
}

// Stop ends the stream, waits for what is under way, and gives the report. The sockets
// stay open.
func (s *Stream) Stop() *Report {
	s.stopping.Do(func() {
		close(s.quit)
		s.sending.Wait()
		time.Sleep(straggle)
		s.ended.Store(true)
		s.to.SetReadDeadline(time.Now()) // ends the read that waits
		s.reading.Wait()
		s.to.SetReadDeadline(time.Time{})
	})
	return &s.report
}
