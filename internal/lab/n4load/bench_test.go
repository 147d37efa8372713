package n4load

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
)

// BenchmarkDrive is the speed of a closed loop against a responder that accepts
// everything: what the load costs by itself.
func BenchmarkDrive(b *testing.B) {
	const n, window = 10_000, 64
	l := benchLoad(b, n)
	for b.Loop() {
		for _, p := range []Procedure{Attach, Handover, Idle, Active, Detach} {
			if d, err := l.Drive(b.Context(), p, n, window); err != nil || d.Done != n {
				b.Fatalf("%s: %d done: %v", p, d.Done, err)
			}
		}
	}
	b.ReportMetric(float64(6*n*b.N)/b.Elapsed().Seconds(), "requests/s")
}

// BenchmarkOffer is the CPU of an open loop far above its speed: what it sends in a second.
func BenchmarkOffer(b *testing.B) {
	const n = 10_000
	l := benchLoad(b, n)
	if err := l.Ready(b.Context(), Modify, 64); err != nil {
		b.Fatal(err)
	}
	var done uint64
	for b.Loop() {
		o, err := l.Offer(b.Context(), Offer{PerS: 1e6, Duration: 200 * time.Millisecond, Mix: []Share{{Modify, 1}}, Settle: 5 * time.Second})
		if err != nil {
			b.Fatal(err)
		}
		done += o.Done
	}
	b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "requests/s")
}

func benchLoad(b *testing.B, n int) *Load {
	b.Helper()
	listen := func() *net.UDPConn {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			b.Fatal(err)
		}
		_ = conn.SetReadBuffer(8 << 20)
		return conn
	}
	there := listen()
	r, err := NewResponder(there, -1)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	c, err := smf.Dial(smf.Config{Conn: listen(), Peer: there.LocalAddr(), NodeID: netip.MustParseAddr("127.0.0.1"),
		Dialect: smf.Standard(), NetworkInstance: "internet"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	if _, err := c.Associate(b.Context()); err != nil {
		b.Fatal(err)
	}
	l, err := New(Config{Client: c, Sessions: sessions(n)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(l.Close)
	return l
}
