package xdp

import (
	"encoding/json"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// The MAC addresses of testdata/gen.py, which are those of a testbed too.
func mac(link, end byte) net.HardwareAddr { return net.HardwareAddr{2, 0x75, 0x70, 0x66, link, end} }

// testFlow has the sessions and addresses of testdata/gen.py.
func testFlow(d record.Direction, payload int, e traffic.Expect) *traffic.Flow {
	f := &traffic.Flow{
		Direction: d, QFI: 1,
		Shapes: []traffic.Shape{{Payload: payload, SourcePort: 1234, DestinationPort: 1234}},
		Streams: []traffic.Stream{
			{UE: netip.MustParseAddr("10.45.0.2"), UplinkTEID: 1, DownlinkTEID: 2},
			{UE: netip.MustParseAddr("10.45.0.3"), UplinkTEID: 0x12345678, DownlinkTEID: 0x87654321},
			{UE: netip.MustParseAddr("10.45.1.200"), UplinkTEID: 0xfffffffe, DownlinkTEID: 0xffffffff},
		},
		GNB: netip.MustParseAddr("192.168.13.131"),
		UPF: netip.MustParseAddr("192.168.13.151"),
		DN:  netip.MustParseAddr("192.168.16.152"),
		DN6: netip.MustParseAddr("2001:db8:6::2"),
	}
	f.Source, f.Destination, e.MAC = mac(3, 1), mac(3, 2), mac(6, 1)
	if d == record.Downlink {
		f.Source, f.Destination, e.MAC = mac(6, 1), mac(6, 2), mac(3, 1)
	}
	f.Expect = e
	return f
}

// ofFamilies gives a flow UEs with IPv6, or with both families, where the end of a name says so.
func ofFamilies(f *traffic.Flow, name string) *traffic.Flow {
	both := strings.HasSuffix(name, " both")
	if !both && !strings.HasSuffix(name, " IPv6") {
		return f
	}
	var streams []traffic.Stream
	for i, s := range f.Streams {
		if both {
			streams = append(streams, s)
		}
		s.UE = netip.MustParseAddr([]string{"2001:db8:45:1::2", "2001:db8:45:2::2", "2001:db8:45:fffe::2"}[i])
		streams = append(streams, s)
	}
	f.Streams = streams
	return f
}

// overIPv6 gives a flow an N3 of IPv6.
func overIPv6(f *traffic.Flow) *traffic.Flow {
	f.GNB, f.UPF = netip.MustParseAddr("2001:db8:13::1"), netip.MustParseAddr("2001:db8:13::2")
	return f
}

// namedFlow is a flow as testdata/sink.json names it.
func namedFlow(t *testing.T, name string) *traffic.Flow {
	const payload = 200
	if rest, has := strings.CutPrefix(name, "tunnel6 "); has {
		return overIPv6(namedFlow(t, rest))
	}
	for _, family := range []string{" IPv6", " both"} {
		if without, has := strings.CutSuffix(name, family); has {
			return ofFamilies(namedFlow(t, without), name)
		}
	}
	switch name {
	case "uplink":
		return testFlow(record.Uplink, payload, traffic.Expect{})
	case "downlink":
		return testFlow(record.Downlink, payload, traffic.Expect{Encapsulated: true, PSC: true})
	case "uplink DF", "downlink DF":
		f := namedFlow(t, strings.TrimSuffix(name, " DF"))
		f.DF = true
		return f
	case "downlink without PSC":
		return testFlow(record.Downlink, payload, traffic.Expect{Encapsulated: true})
	case "wire uplink":
		return testFlow(record.Uplink, payload, traffic.Expect{Encapsulated: true, Unchanged: true})
	case "wire downlink":
		return testFlow(record.Downlink, payload, traffic.Expect{Unchanged: true})
	}
	t.Fatalf("no flow is called %q", name)
	return nil
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
