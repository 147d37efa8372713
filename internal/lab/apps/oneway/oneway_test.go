package oneway

import (
	"net"
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
