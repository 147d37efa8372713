package traffic

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
)

func studyFlow(d record.Direction, payload int) *Flow {
	return &Flow{
		Direction: d, QFI: 1,
		Shapes:      []Shape{{Payload: payload, SourcePort: 1234, DestinationPort: 1234}},
		Streams:     []Stream{{UE: netip.MustParseAddr("10.45.0.2"), UplinkTEID: 1, DownlinkTEID: 2}},
		Source:      net.HardwareAddr{2, 0x75, 0x70, 0x66, 3, 1},
		Destination: net.HardwareAddr{2, 0x75, 0x70, 0x66, 3, 2},
		GNB:         netip.MustParseAddr("192.168.13.131"),
		UPF:         netip.MustParseAddr("192.168.13.151"),
		DN:          netip.MustParseAddr("192.168.16.152"),
		DN6:         netip.MustParseAddr("2001:db8:6::2"),
	}
}

// The frames are those of the published study, byte for byte as scapy builds them.
func TestFramesAreScapys(t *testing.T) {
	text, err := os.ReadFile("testdata/frames.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var direction, flags, want string
		var payload int
		if _, err := fmt.Sscan(line, &direction, &payload, &flags, &want); err != nil {
			t.Fatal(err)
		}
		f := studyFlow(record.Direction(direction), payload)
		f.DF = flags == "DF"
		if flags == "IPv6" || flags == "6in6" {
			f.Streams[0].UE = netip.MustParseAddr("2001:db8:45:1::2")
		}
		if flags == "4in6" || flags == "6in6" {
			f.GNB, f.UPF = netip.MustParseAddr("2001:db8:13::1"), netip.MustParseAddr("2001:db8:13::2")
		}
		if got := hex.EncodeToString(f.Frame(f.Streams[0], 0)); got != want {
			t.Errorf("%s, %d B:\n got %s\nwant %s", direction, payload, got, want)
		}
		if f.FrameBytes(f.Streams[0], 0) != len(want)/2 {
			t.Errorf("%s, %d B: FrameBytes is %d, the frame has %d", direction, payload, f.FrameBytes(f.Streams[0], 0), len(want)/2)
		}
	}
}

// TestNoFrameNeedsPadding: a link lengthens frames under 60 octets, and sinks count what is behind a packet as an
// error of the UPF's. The shortest that can be sent is longer, in both directions.
func TestNoFrameNeedsPadding(t *testing.T) {
	const link = 60
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		f := studyFlow(d, signature.Bytes)
		for _, n := range []int{len(f.Frame(f.Streams[0], 0)), len(f.innerPacket(f.Streams[0], 0)) + ethernetBytes} {
			if n < link {
				t.Errorf("%s: a frame of %d octets", d, n)
			}
		}
	}
}
