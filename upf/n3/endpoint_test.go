package n3

import (
	"bytes"
	"context"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/text/fuzztest"
	"github.com/upflab/upflab/upf/session"
)

// message reads a message that scapy built, from the codec's test data.
func message(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../internal/proto/gtpu/testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if digits, ok := strings.CutPrefix(strings.TrimSpace(line), name+" "); ok {
			b, err := hex.DecodeString(digits)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
	t.Fatalf("no message %q", name)
	return nil
}

func newEndpoint(conn net.PacketConn, port uint16) *Endpoint {
	return New(conn, Config{
		Address: netip.MustParseAddr("192.0.2.1"), PeerPort: port,
		KnownTEID: func(teid uint32) bool { return teid == 1 },
	})
}

func TestReceive(t *testing.T) {
	for _, c := range []struct {
		story, message, answer string
		count                  func(Counters) uint64
	}{
		{"echo", "echo-request", "echo-response", func(c Counters) uint64 { return c.EchoRequests }},
		{"no such tunnel", "gpdu-plain", "error-indication", func(c Counters) uint64 { return c.UnknownTEID }},
		{"a known tunnel", "gpdu-uplink-qfi-1", "", func(c Counters) uint64 { return c.Strays }},
		{"end marker", "end-marker", "", func(c Counters) uint64 { return c.Other }},
		{"a gNB's Error Indication", "error-indication", "", func(c Counters) uint64 { return c.Indicated }},
	} {
		e := newEndpoint(nil, 0)
		answer, _ := e.receive(nil, message(t, c.message), gnb, time.Unix(0, 0))
		var want []byte
		if c.answer != "" {
			want = message(t, c.answer)
		}
		if !bytes.Equal(answer, want) {
			t.Errorf("%s:\n got %x\nwant %x", c.story, answer, want)
		}
		if got := e.Counters(); c.count(got) != 1 {
			t.Errorf("%s: not counted as expected: %+v", c.story, got)
		}
	}
}

// TestNoHost: what no host can have sent has no answer, and none of the effects of a message.
func TestNoHost(t *testing.T) {
	for _, from := range []string{"0.0.0.0", "255.255.255.255", "224.0.0.5", "ff02::1", "::"} {
		for _, name := range []string{"echo-request", "gpdu-plain", "error-indication"} {
			e := newEndpoint(nil, 0)
			answer, _ := e.receive(nil, message(t, name), netip.MustParseAddr(from), time.Unix(0, 0))
			if c := e.Counters(); len(answer) > 0 || c != (Counters{Malformed: 1}) {
				t.Errorf("%s from %s: answer %x, counters %+v", name, from, answer, c)
			}
		}
	}
}

var gnb = netip.MustParseAddr("192.0.2.2")

// TestFloodLeavesOthersTheirShare: what one gNB sends does not use up the Error
// Indications of another.
func TestFloodLeavesOthersTheirShare(t *testing.T) {
	e := newEndpoint(nil, 0)
	flood, now := message(t, "gpdu-plain"), time.Unix(0, 0)
	for range 1000 {
		e.receive(nil, flood, gnb, now)
	}
	if answer, _ := e.receive(nil, flood, gnb.Next(), now); len(answer) == 0 {
		t.Error("another gNB's G-PDU has no answer")
	}
}

func TestErrorIndicationsAreBounded(t *testing.T) {
	e, now := newEndpoint(nil, 0), time.Unix(0, 0)
	flood := message(t, "gpdu-plain")
	for range 1000 {
		e.receive(nil, flood, gnb, now)
	}
	e.receive(nil, flood, gnb, now.Add(time.Second))
	if got := e.Counters(); got.ErrorIndications != indicationsPerSource+1 || got.UnknownTEID != 1001 {
		t.Errorf("counters %+v, want %d indications of 1001", got, indicationsPerSource+1)
	}
}

// TestErrorIndicationsOfAllAreBounded: sources that are invented have 1000 a second together.
func TestErrorIndicationsOfAllAreBounded(t *testing.T) {
	e, now := newEndpoint(nil, 0), time.Unix(0, 0)
	flood, source := message(t, "gpdu-plain"), gnb
	for range 1500 {
		e.receive(nil, flood, source, now)
		source = source.Next()
	}
	if got := e.Counters().ErrorIndications; got != 1000 {
		t.Errorf("%d Error Indications to 1500 sources, want 1000", got)
	}
}

func TestServe(t *testing.T) {
	gnb, upf := listen(t), listen(t)
	e := newEndpoint(upf, uint16(gnb.LocalAddr().(*net.UDPAddr).Port))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Serve(ctx) }()

	for _, step := range [][2]string{{"echo-request", "echo-response"}, {"gpdu-plain", "error-indication"}} {
		gnb.WriteTo(message(t, step[0]), upf.LocalAddr())
		if got := read(t, gnb); !bytes.Equal(got, message(t, step[1])) {
			t.Errorf("%s was answered with %x", step[0], got)
		}
	}
	e.EndMarker(session.OuterHeader{TEID: 0x55, Peer: netip.MustParseAddr("127.0.0.1")})
	if got := read(t, gnb); !bytes.Equal(got, message(t, "end-marker")) {
		t.Errorf("End Marker %x", got)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func listen(t *testing.T) net.PacketConn {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func read(t *testing.T, conn net.PacketConn) []byte {
	t.Helper()
	buf := make([]byte, 2048)
	conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	n, _, err := conn.ReadFrom(buf)
	if err != nil {
		t.Fatal(err)
	}
	return buf[:n]
}

func FuzzReceive(f *testing.F) {
	fuzztest.Brief(f)
	for _, name := range []string{"echo-request", "gpdu-plain", "gpdu-two-extensions", "error-indication"} {
		f.Add(message(f, name))
	}
	f.Fuzz(func(t *testing.T, datagram []byte) {
		newEndpoint(nil, 0).receive(nil, datagram, gnb, time.Unix(0, 0))
	})
}

// TestServeIPv6 has echoes, Error Indications and End Markers of IPv6 peers on the socket
// of that.
func TestServeIPv6(t *testing.T) {
	conn := func() net.PacketConn {
		c, err := net.ListenPacket("udp6", "[::1]:0")
		if err != nil {
			t.Skipf("no IPv6 here: %v", err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	gnb, upf := conn(), conn()
	e := New(listen(t), Config{
		Address: netip.MustParseAddr("192.0.2.1"), PeerPort: uint16(gnb.LocalAddr().(*net.UDPAddr).Port),
		Conn6: upf, Address6: netip.MustParseAddr("2001:db8:3::1"), KnownTEID: func(uint32) bool { return false },
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Serve(ctx) }()
	gnb.WriteTo(message(t, "echo-request"), upf.LocalAddr())
	if got := read(t, gnb); !bytes.Equal(got, message(t, "echo-response")) {
		t.Errorf("an echo is answered with %x", got)
	}
	gnb.WriteTo(message(t, "gpdu-plain"), upf.LocalAddr())
	if h, err := gtpu.Parse(read(t, gnb)); err != nil || h.Type != gtpu.ErrorIndication {
		t.Errorf("a G-PDU for no tunnel is answered with %+v, %v", h, err)
	} else if _, peer, err := gtpu.ParseErrorIndication(h.Payload); err != nil || peer != netip.MustParseAddr("2001:db8:3::1") {
		t.Errorf("the Error Indication names %v, %v", peer, err)
	}
	e.EndMarker(session.OuterHeader{TEID: 0x55, Peer: netip.IPv6Loopback()})
	if got := read(t, gnb); !bytes.Equal(got, message(t, "end-marker")) {
		t.Errorf("End Marker %x", got)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}
