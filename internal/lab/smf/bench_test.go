package smf

import (
	"encoding/binary"
	"net"
	"testing"

	"github.com/upflab/upflab/internal/lab/smf/fakeupf"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

func BenchmarkBuildEstablishment(b *testing.B) {
	c, s := goldenClient(Standard(), 1), goldenSession()
	w := c.NewWriter()
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(len(c.EstablishmentRequest(w, &s).Bytes)))
	}
}

func BenchmarkDecodeEstablishment(b *testing.B) {
	answer := golden(b, "upf/establish-accepted")
	for _, how := range []Strictness{Tolerant, Strict} {
		b.Run([]string{"tolerant", "strict"}[how], func(b *testing.B) {
			b.ReportAllocs()
			var m Message
			for b.Loop() {
				h, ies, _, _ := pfcp.Parse(answer)
				if err := m.Read(h, ies, how); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEstablish10000 provisions 10 000 sessions: what the client costs,
// with a UPF that answers without reading, and with one that reads everything.
func BenchmarkEstablish10000(b *testing.B) {
	sessions := manySessions(10_000)
	b.Run("canned", func(b *testing.B) { benchmarkEstablish(b, canned(b), sessions) })
	b.Run("fake", func(b *testing.B) { benchmarkEstablish(b, fakeupf.Start(b, fakeupf.Script{}).Addr(), sessions) })
}

func benchmarkEstablish(b *testing.B, peer net.Addr, sessions []Session) {
	c := dial(b, peer, Standard())
	for b.Loop() {
		if _, err := c.Establish(b.Context(), sessions); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(sessions)*b.N)/b.Elapsed().Seconds(), "sessions/s")
	b.ReportMetric(float64(c.Stats().Retransmitted), "retransmitted")
}

// canned answers each datagram with the same acceptance and its sequence number.
func canned(b *testing.B) net.Addr {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	answer := golden(b, "upf/establish-accepted")
	go func() {
		buf := make([]byte, 2048)
		for {
			_, from, err := conn.ReadFromUDPAddrPort(buf)
			if err != nil {
				return
			}
			copy(answer[12:15], buf[12:15])
			binary.BigEndian.PutUint64(answer[4:], 1)
			conn.WriteToUDPAddrPort(answer, from)
		}
	}()
	return conn.LocalAddr()
}
