package xdp

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/traffic"
)

const xdpRedirect = 4

// openReturning opens the sink of a named flow that sends each packet back.
func openReturning(t *testing.T, name string, b Back) *sink {
	t.Helper()
	sitetest.Privileged(t)
	f := namedFlow(t, name)
	b.Flow = testFlow(record.Uplink, 200, traffic.Expect{})
	if f.Uplink() {
		b.Flow = testFlow(record.Downlink, 200, traffic.Expect{})
	}
	s, err := openSink(f, &b, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.SendBack(1); err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(testTrial); err != nil {
		t.Fatal(err)
	}
	return s
}

// through gives the program a frame, and gives what it made of it.
func (s *sink) through(t *testing.T, frame []byte) (uint32, []byte) {
	t.Helper()
	o := &ebpf.RunOptions{Data: frame, DataOut: make([]byte, len(frame)+64), Repeat: 1}
	verdict, err := s.program().Run(o)
	if err != nil {
		t.Fatal(err)
	}
	return verdict, o.DataOut
}

// TestSendBack: what goes back is what scapy makes, but for the times; and the sink of the
// other direction counts it as a packet that came back.
func TestSendBack(t *testing.T) {
	var cases []struct{ Name, Flow, Arrives, Back string }
	readJSON(t, "testdata/back.json", &cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			s := openReturning(t, c.Flow, Back{Lanes: 1, Below: 1})
			verdict, got := s.through(t, unhex(t, c.Arrives))
			want := unhex(t, c.Back)
			if verdict != xdpRedirect || len(got) != len(want) {
				t.Fatalf("verdict %d, %d octets, want %d", verdict, len(got), len(want))
			}
			stay := timesOf(got) - timesOf(want)
			if n := totalsOf(t, s); n.Turned != 1 || n.TurnSum != stay || n.Rx != 1 || stay == 0 {
				t.Errorf("it was here for %d ns by its times; counted: %+v", stay, n)
			}
			inner := len(got) - 228
			if sum := checksum.Fold(checksum.Sum(pseudo(got[inner:])) + checksum.Sum(got[inner+20:])); sum != 0xffff {
				t.Errorf("the sum of the inner datagram is %#x", sum)
			}
			for _, b := range [][]byte{got, want} {
				clear(b[inner+26 : inner+28])
				clear(b[inner+28+16 : inner+28+signature.Bytes])
			}
			if !bytes.Equal(got, want) {
				t.Errorf("sent back\n%x, want\n%x", got, want)
			}
		})
	}
}

// timesOf is when a frame of the test data was due.
func timesOf(frame []byte) uint64 {
	return binary.LittleEndian.Uint64(frame[len(frame)-200+16:])
}

// pseudo is the pseudo-header of a UDP datagram in an IP packet.
func pseudo(ip []byte) []byte {
	b := append([]byte(nil), ip[12:20]...)
	return append(b, 0, 17, ip[24], ip[25])
}

func totalsOf(t *testing.T, s *sink) sinkTotals {
	t.Helper()
	n, err := s.totals()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestComesBack: a packet that was sent back counts as a round trip where it belongs, and as
// nothing received.
func TestComesBack(t *testing.T) {
	there := openReturning(t, "uplink", Back{Lanes: 1, Below: 1})
	here := openReturning(t, "downlink", Back{Lanes: 1, Below: 1})
	_, plain := there.through(t, unhex(t, backCase(t, "uplink")))
	f := namedFlow(t, "downlink")
	header := here.tunnelled(f, plain, 2)
	now := threads.Monotonic()
	binary.LittleEndian.PutUint64(header[len(header)-200+16:], now)
	if verdict, _ := here.through(t, header); verdict != xdpDrop {
		t.Errorf("the verdict is %d", verdict)
	}
	var o traffic.FlowOutcome
	if err := here.read(&o); err != nil {
		t.Fatal(err)
	}
	r := &o.RoundTrips.Returns
	if r.Count != 1 || r.Sum == 0 || r.Sum > threads.Monotonic()-now || o.Received != 0 || o.Foreign != 0 ||
		len(o.Wrong) != 0 || o.RoundTrips.Turned != 0 {
		t.Errorf("%+v, received %d, foreign %d, wrong %v", r.Sum, o.Received, o.Foreign, o.Wrong)
	}
	if here.through(t, here.tunnelled(f, plain, 9)); totalsOf(t, here).ReturnCount != 1 {
		t.Error("a packet in another session's tunnel counts")
	}
}

// tunnelled is a downlink packet as it arrives at the gNB.
func (s *sink) tunnelled(f *traffic.Flow, plain []byte, teid uint32) []byte {
	up := *f
	up.Direction = record.Uplink
	stream := f.Streams[0]
	stream.UplinkTEID = teid
	b := up.Frame(stream, 0)[:58]
	copy(b, f.Expect.MAC)
	return append(b, plain[14:]...)
}

func backCase(t *testing.T, name string) string {
	t.Helper()
	var cases []struct{ Name, Arrives string }
	readJSON(t, "testdata/back.json", &cases)
	for _, c := range cases {
		if c.Name == name {
			return c.Arrives
		}
	}
	t.Fatalf("there is no case %q", name)
	return ""
}

// TestSendBackSample: as many as asked, and none of the sessions of others.
func TestSendBackSample(t *testing.T) {
	frame := unhex(t, backCase(t, "uplink"))
	for _, c := range []struct {
		every uint32
		back  Back
		least uint64
		most  uint64
	}{
		{16, Back{Lanes: 1, Below: 1}, 20, 50}, // 31 of 500 are expected
		{1, Back{Lanes: 2, Below: 0}, 0, 0},
		{0, Back{Lanes: 1, Below: 1}, 0, 0},
	} {
		s := openReturning(t, "uplink", c.back)
		if err := s.SendBack(c.every); err != nil {
			t.Fatal(err)
		}
		for n := range uint64(500) {
			s.receive(t, numbered(frame, testTrial, n))
		}
		if got := totalsOf(t, s); got.Rx != 500 || got.Turned < c.least || got.Turned > c.most {
			t.Errorf("one in %d: %d of %d went back", c.every, got.Turned, got.Rx)
		}
	}
	s := openReturning(t, "uplink", Back{Lanes: 1, Below: 1})
	if s.SendBack(3) == nil {
		t.Error("one packet in 3 is accepted")
	}
	if openTestSink(t, namedFlow(t, "uplink")).SendBack(1) == nil {
		t.Error("a sink without a way back accepts it")
	}
}
