package gtpu

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// messages reads the messages that scapy built (testdata/gen.py).
func messages(t testing.TB) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for line := range strings.Lines(string(text)) {
		name, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		if all[name], err = hex.DecodeString(digits); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return all
}

func TestParse(t *testing.T) {
	all := messages(t)
	for _, c := range []struct {
		name string
		want Header
	}{
		{"gpdu-plain", Header{Type: GPDU, TEID: 0x11223344}},
		{"gpdu-uplink-qfi-1", Header{Type: GPDU, TEID: 1, Extensions: 1, HasContainer: true,
			Container: Container{Type: UplinkInformation, QFI: 1}}},
		{"gpdu-downlink-qfi-9", Header{Type: GPDU, TEID: 2, Extensions: 1, HasContainer: true, Container: Container{QFI: 9}}},
		{"gpdu-downlink-qfi-9-rqi", Header{Type: GPDU, TEID: 2, Extensions: 1, HasContainer: true, Container: Container{QFI: 9, RQI: true}}},
		{"gpdu-sequence", Header{Type: GPDU, TEID: 3, HasSequence: true, Sequence: 0xbeef}},
		{"gpdu-npdu", Header{Type: GPDU, TEID: 3, HasNPDU: true, NPDU: 7}},
		{"gpdu-two-extensions",
			Header{Type: GPDU, TEID: 4, Extensions: 2, HasContainer: true,
				Container: Container{Type: UplinkInformation, QFI: 5}}},
		{"gpdu-container-with-delays",
			Header{Type: GPDU, TEID: 5, Extensions: 1, HasContainer: true,
				Container: Container{Type: UplinkInformation, QFI: 6}}},
		{"echo-request", Header{Type: EchoRequest, HasSequence: true, Sequence: 0x1234}},
		{"end-marker", Header{Type: EndMarker, TEID: 0x55}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Parse(all[c.name])
			if err != nil {
				t.Fatal(err)
			}
			if c.want.Type == GPDU && !bytes.Equal(got.Payload, all["inner"]) {
				t.Errorf("payload = %x, want the inner packet", got.Payload)
			}
			if c.want.Type != GPDU && len(got.Payload) != 0 {
				t.Errorf("payload = %x, want none", got.Payload)
			}
			got.Payload = nil
			if !equal(got, c.want) {
				t.Errorf("Parse = %+v\nwant    %+v", got, c.want)
			}
		})
	}
}

// equal compares all but the payload.
func equal(a, b Header) bool {
	return a.Type == b.Type && a.TEID == b.TEID && a.HasSequence == b.HasSequence && a.Sequence == b.Sequence &&
		a.HasNPDU == b.HasNPDU && a.NPDU == b.NPDU && a.HasContainer == b.HasContainer && a.Container == b.Container &&
		a.Extensions == b.Extensions && a.Unknown == b.Unknown
}

func TestParseFaults(t *testing.T) {
	for _, c := range []struct {
		story, hex string
		want       error
	}{
		{"nothing", "", ErrTruncated},
		{"seven octets", "30ff0000000000", ErrTruncated},
		{"version 2", "50ff000000000001", ErrVersion},
		{"GTP'", "20ff000000000001", ErrVersion},
		{"length beyond the datagram", "30ff000100000001", ErrTruncated},
		{"S flag without the optional octets", "32ff000300000001000000", ErrTruncated},
		{"extension announced, none there", "34ff00040000000100000085", ErrTruncated},
		{"extension of length 0", "34ff0008000000010000008500000000", ErrExtension},
		{"extension beyond the message", "34ff0008000000010000008502010100", ErrTruncated},
		{"nine extensions", "34ff002800000001000000" + "40" + strings.Repeat("01086840", 9), ErrExtension},
	} {
		b, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(b); err != c.want {
			t.Errorf("%s: Parse = %v, want %v", c.story, err, c.want)
		}
	}
}

func TestParseUnknownExtension(t *testing.T) {
	for typ, want := range map[byte]uint8{0x20: 0, 0x40: 0, 0xc0: 0xc0, 0x84: 0x84} {
		b := []byte{0x34, 0xff, 0, 8, 0, 0, 0, 1, 0, 0, 0, typ, 1, 0, 0, 0}
		h, err := Parse(b)
		if err != nil || h.Unknown != want {
			t.Errorf("extension type %#x: Unknown = %#x, %v, want %#x", typ, h.Unknown, err, want)
		}
	}
}

func TestAppend(t *testing.T) {
	all := messages(t)
	inner := all["inner"]
	for name, got := range map[string][]byte{
		"gpdu-plain":              AppendGPDU(nil, 0x11223344, nil, inner),
		"gpdu-uplink-qfi-1":       AppendGPDU(nil, 1, &Container{Type: UplinkInformation, QFI: 1}, inner),
		"gpdu-downlink-qfi-9":     AppendGPDU(nil, 2, &Container{QFI: 9}, inner),
		"gpdu-downlink-qfi-9-rqi": AppendGPDU(nil, 2, &Container{QFI: 9, RQI: true}, inner),
		"echo-request":            AppendEchoRequest(nil, 0x1234),
		"echo-response":           AppendEchoResponse(nil, 0x1234),
		"end-marker":              AppendEndMarker(nil, 0x55),
		"error-indication":        AppendErrorIndication(nil, 0x11223344, netip.MustParseAddr("192.0.2.1")),
	} {
		if !bytes.Equal(got, all[name]) {
			t.Errorf("%s:\n got %x\nwant %x", name, got, all[name])
		}
	}
}

func TestParseErrorIndication(t *testing.T) {
	h, err := Parse(messages(t)["error-indication"])
	if err != nil {
		t.Fatal(err)
	}
	teid, peer, err := ParseErrorIndication(h.Payload)
	if err != nil || teid != 0x11223344 || peer != netip.MustParseAddr("192.0.2.1") {
		t.Errorf("ParseErrorIndication = %#x, %v, %v", teid, peer, err)
	}
	for n := range len(h.Payload) {
		if _, _, err := ParseErrorIndication(h.Payload[:n]); err != ErrInformation {
			t.Errorf("%d of %d octets: %v, want ErrInformation", n, len(h.Payload), err)
		}
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	b := messages(t)["gpdu-two-extensions"]
	if n := testing.AllocsPerRun(100, func() { Parse(b) }); n != 0 {
		t.Errorf("Parse allocates %v times", n)
	}
}

func FuzzParse(f *testing.F) {
	fuzztest.Brief(f)
	for _, b := range messages(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := Parse(b)
		if err != nil {
			return
		}
		if len(h.Payload) > len(b)-HeaderLen {
			t.Errorf("payload of %d octets out of a message of %d", len(h.Payload), len(b))
		}
		ParseErrorIndication(h.Payload)
	})
}

func BenchmarkParse(b *testing.B) {
	msg := messages(b)["gpdu-uplink-qfi-1"]
	for b.Loop() {
		Parse(msg)
	}
}
