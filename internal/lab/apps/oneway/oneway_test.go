package oneway

import (
	"net"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/threads"
)

func socket(t *testing.T) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Two streams share two sockets, one each way.
func TestBothWays(t *testing.T) {
	a, b := socket(t), socket(t)
	there, err := Start(a, b, Options{Every: 2 * time.Millisecond, Octets: 100, Trial: 2})
	if err != nil {
		t.Fatal(err)
	}
	back, err := Start(b, a, Options{Every: 2 * time.Millisecond, Trial: 4})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // the streams' length
	for _, s := range []*Stream{there, back} {
		r := s.Stop()
		if len(r.Sent) < 10 || len(r.Sent) > 500 || r.Lost() > 0 || r.Duplicates > 0 || r.Reordered > 0 {
			t.Errorf("sent %d, arrived %d, %d duplicates, %d reordered", len(r.Sent), len(r.Packets), r.Duplicates, r.Reordered)
		}
		for i, p := range r.Packets {
			if p.Latency <= 0 || p.Latency > time.Second || p.Sent != r.Sent[p.Sequence] {
				t.Errorf("packet %d: %+v", i, p)
			}
		}
	}
}

// Nobody at the other end: all is lost, and nothing hangs.
func TestLost(t *testing.T) {
	a, b := socket(t), socket(t)
	s, err := Start(a, b, Options{Every: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // the stream's length
	b.Close()
	if r := s.Stop(); len(r.Sent) == 0 {
		t.Errorf("nothing was sent: %+v", r)
	}
}

// Datagrams of others, copies, and late ones.
func TestForeignAndCopies(t *testing.T) {
	a, b := socket(t), socket(t)
	s, err := Start(a, b, Options{Every: time.Hour, Trial: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []uint64{7, 5, 5} {
		b.WriteToUDPAddrPort(signed(s, n), b.LocalAddr().(*net.UDPAddr).AddrPort())
	}
	a.WriteToUDPAddrPort([]byte("hello"), b.LocalAddr().(*net.UDPAddr).AddrPort())
	time.Sleep(50 * time.Millisecond) // its one packet is sent at once
	if r := s.Stop(); len(r.Packets) != 3 || r.Duplicates != 1 || r.Reordered == 0 {
		t.Errorf("%+v", r)
	}
}

// signed is a packet of a stream.
func signed(s *Stream, sequence uint64) []byte {
	payload := make([]byte, signature.Bytes)
	one := signature.Signature{Trial: s.options.Trial, Sequence: sequence, Sent: threads.Monotonic()}
	one.Put(payload)
	return payload
}

// TestBursts: data that is due at once goes in datagrams of the size asked for, when it is due.
func TestBursts(t *testing.T) {
	var r *Report
	for try := 0; try < 20 && (r == nil || r.Skipped > 0); try++ { // a busy machine leaves some out
		r = sendBursts(t)
	}
	var packets []uint64
	for i, s := range r.Bursts {
		packets = append(packets, s.Packets)
		if s.Began < bursts[i].Due || s.First+s.Packets > uint64(len(r.Sent)) {
			t.Errorf("burst %d: %+v", i, s)
		}
	}
	if !slices.Equal(packets, []uint64{3, 1, 1}) || r.Lost() != 0 {
		t.Errorf("packets %v, %d lost, %d bursts skipped", packets, r.Lost(), r.Skipped)
	}
}

var bursts = []Burst{{10 * time.Millisecond, 2500}, {30 * time.Millisecond, 10}, {40 * time.Millisecond, 1000}}

func sendBursts(t *testing.T) *Report {
	a, b := socket(t), socket(t)
	done := make(chan bool)
	s, err := Start(a, b, Options{Octets: 1000, Bursts: func(yield func(Burst) bool) {
		defer close(done)
		for _, one := range bursts {
			if !yield(one) {
				return
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-done
	return s.Stop()
}

// TestFull: what finds the receiver's socket full is counted, once a later packet has room.
func TestFull(t *testing.T) {
	a, b := socket(t), socket(t)
	if err := b.SetReadBuffer(1); err != nil { // the least that the kernel gives
		t.Fatal(err)
	}
	if err := stamp(b); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		a.WriteToUDPAddrPort(make([]byte, 1000), b.LocalAddr().(*net.UDPAddr).AddrPort())
	}
	s, err := Start(a, b, Options{Every: time.Millisecond, Trial: 2})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // the stream's length
	if r := s.Stop(); r.Full < 900 || r.Full > 1000 {
		t.Errorf("%d found the socket full", r.Full)
	}
}
