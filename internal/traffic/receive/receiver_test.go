package receive

import (
	"encoding/hex"
	"encoding/json"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/fuzztest"
	"github.com/upflab/upflab/internal/traffic"
)

// sinkCase is one of ../xdp/testdata/sink.json: frames as they arrive, made by
// scapy, and what they are to be counted as.
type sinkCase struct {
	Name, Flow, Wrong                         string
	Frames                                    []string
	RX, Duplicates, Reordered, Foreign, Stale uint64
}

const (
	testTrial = 2   // of the frames in testdata
	later     = 5e6 // ns: after they were sent
	payload   = 200 // bytes, in most of them
)

func mac(link, end byte) net.HardwareAddr { return net.HardwareAddr{2, 0x75, 0x70, 0x66, link, end} }

// testFlow has the sessions and addresses of ../xdp/testdata/gen.py.
func testFlow(t testing.TB, name string) *traffic.Flow {
	flows := map[string]traffic.Flow{
		"uplink":               {Direction: record.Uplink},
		"downlink":             {Direction: record.Downlink, Expect: traffic.Expect{Encapsulated: true, PSC: true}},
		"uplink DF":            {Direction: record.Uplink, DF: true},
		"downlink DF":          {Direction: record.Downlink, DF: true, Expect: traffic.Expect{Encapsulated: true, PSC: true}},
		"downlink without PSC": {Direction: record.Downlink, Expect: traffic.Expect{Encapsulated: true}},
		"wire uplink":          {Direction: record.Uplink, Expect: traffic.Expect{Encapsulated: true, Unchanged: true}},
		"wire downlink":        {Direction: record.Downlink, Expect: traffic.Expect{Unchanged: true}},
	}
	without, over6 := strings.CutPrefix(name, "tunnel6 ")
	without, both := strings.CutSuffix(without, " both")
	without, ipv6 := strings.CutSuffix(without, " IPv6")
	f, ok := flows[without]
	if !ok {
		t.Fatalf("no flow is called %q", name)
	}
	f.QFI = 1
	f.Shapes = []traffic.Shape{{Payload: payload, SourcePort: 1234, DestinationPort: 1234}}
	f.Streams = []traffic.Stream{
		{UE: netip.MustParseAddr("10.45.0.2"), UplinkTEID: 1, DownlinkTEID: 2},
		{UE: netip.MustParseAddr("10.45.0.3"), UplinkTEID: 0x12345678, DownlinkTEID: 0x87654321},
		{UE: netip.MustParseAddr("10.45.1.200"), UplinkTEID: 0xfffffffe, DownlinkTEID: 0xffffffff},
	}
	f.GNB, f.UPF = netip.MustParseAddr("192.168.13.131"), netip.MustParseAddr("192.168.13.151")
	f.DN, f.DN6 = netip.MustParseAddr("192.168.16.152"), netip.MustParseAddr("2001:db8:6::2")
	if over6 {
		f.GNB, f.UPF = netip.MustParseAddr("2001:db8:13::1"), netip.MustParseAddr("2001:db8:13::2")
	}
	if both || ipv6 {
		f.Streams = with6(f.Streams, both)
	}
	f.Source, f.Destination, f.Expect.MAC = mac(3, 1), mac(3, 2), mac(6, 1)
	if f.Direction == record.Downlink {
		f.Source, f.Destination, f.Expect.MAC = mac(6, 1), mac(6, 2), mac(3, 1)
	}
	return &f
}

// with6 gives UEs IPv6 in place of IPv4, or both.
func with6(of []traffic.Stream, both bool) (streams []traffic.Stream) {
	for i, s := range of {
		if both {
			streams = append(streams, s)
		}
		s.UE = netip.MustParseAddr([]string{"2001:db8:45:1::2", "2001:db8:45:2::2", "2001:db8:45:fffe::2"}[i])
		streams = append(streams, s)
	}
	return streams
}

func readCases(t testing.TB) (cases []sinkCase) {
	t.Helper()
	b, err := os.ReadFile("../xdp/testdata/sink.json")
	if err == nil {
		err = json.Unmarshal(b, &cases)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func (c sinkCase) frames(t testing.TB) (list [][]byte) {
	t.Helper()
	for _, text := range c.Frames {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	return list
}

func TestReceiver(t *testing.T) {
	for _, c := range readCases(t) {
		t.Run(c.Flow+": "+c.Name, func(t *testing.T) { c.run(t) })
	}
}

func (c sinkCase) run(t *testing.T) {
	r := New(testFlow(t, c.Flow))
	r.Begin(testTrial)
	var bytes uint64
	var last []byte
	for _, last = range c.frames(t) {
		r.Frame(last, later)
		bytes += uint64(len(last))
	}
	o := r.Outcome(nil)
	for _, n := range []struct {
		what      string
		got, want uint64
	}{
		{"received", o.Received, c.RX}, {"duplicates", o.Duplicates, c.Duplicates},
		{"reordered", o.Reordered, c.Reordered}, {"foreign", o.Foreign, c.Foreign}, {"stale", r.stale, c.Stale},
		{"latencies", o.Latency.Count, c.RX},
	} {
		if n.got != n.want {
			t.Errorf("%d %s, want %d", n.got, n.what, n.want)
		}
	}
	if c.RX == uint64(len(c.Frames)) && o.ReceivedBytes != bytes {
		t.Errorf("%d bytes received, want %d", o.ReceivedBytes, bytes)
	}
	c.checkWrong(t, &o, last)
}

func (c sinkCase) checkWrong(t *testing.T, o *traffic.FlowOutcome, last []byte) {
	t.Helper()
	if c.Wrong == "" {
		if len(o.Wrong) > 0 {
			t.Errorf("wrong: %v", o.Wrong)
		}
		return
	}
	if len(o.Wrong) != 1 || string(o.Wrong[0].Place) != c.Wrong || o.Wrong[0].Packets != 1 {
		t.Errorf("wrong: %v, want one by %s", o.Wrong, c.Wrong)
	}
	if want := last[:min(len(last), 128)]; len(c.Frames) == 1 && string(o.Specimen) != string(want) {
		t.Errorf("the specimen is\n%x, want\n%x", o.Specimen, want)
	}
}

func TestUnknownTimeIsReceivedWithoutLatency(t *testing.T) {
	for _, c := range readCases(t) {
		if c.Name != "decapsulated" {
			continue
		}
		r := New(testFlow(t, c.Flow))
		r.Begin(testTrial)
		r.Frame(c.frames(t)[0], Unknown)
		o := r.Outcome(nil)
		if o.Received != 1 || o.Latency.Count != 0 || o.Actual.Count != 0 {
			t.Errorf("received %d with %d latencies, want 1 with none", o.Received, o.Latency.Count)
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	r := New(testFlow(t, "uplink"))
	r.Begin(testTrial)
	frame := readCases(t)[0].frames(t)[0]
	if n := testing.AllocsPerRun(100, func() { r.Frame(frame, later) }); n != 0 {
		t.Errorf("%v allocations for a frame", n)
	}
}

// Whatever arrives is counted once, and nothing panics.
func FuzzReceiver(f *testing.F) {
	fuzztest.Brief(f)
	for _, c := range readCases(f) {
		for _, b := range c.frames(f) {
			f.Add(b)
		}
	}
	flows := []*traffic.Flow{testFlow(f, "uplink"), testFlow(f, "downlink"), testFlow(f, "wire uplink")}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, flow := range flows {
			r := New(flow)
			r.Begin(testTrial)
			r.Frame(b, later)
			n := r.received + r.duplicates + r.stale + r.foreign
			for _, w := range r.wrong {
				n += w
			}
			if n != 1 {
				t.Errorf("one frame was counted %d times", n)
			}
		}
	})
}

func BenchmarkFrame(b *testing.B) {
	r := New(testFlow(b, "uplink"))
	r.Begin(testTrial)
	frame := readCases(b)[0].frames(b)[0]
	for b.Loop() {
		r.Frame(frame, later) // but for the first a duplicate, which costs the same checks
	}
}
