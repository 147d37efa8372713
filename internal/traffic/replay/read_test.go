package replay

import (
	"bytes"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/text/fuzztest"
	"github.com/upflab/upflab/internal/traffic"
)

const room = 1400 // octets of UDP payload

// The captures are testdata/captures.py's, made by scapy: five packets that can be
// sent, and one of each kind that cannot.
func TestRead(t *testing.T) {
	for _, name := range []string{"ethernet.pcap", "ethernet.pcapng", "raw.pcap"} {
		r, err := Read("testdata/"+name, room)
		if err != nil {
			t.Fatal(err)
		}
		want := []traffic.Shape{
			{Payload: 100, SourcePort: 5000, DestinationPort: 5001}, {Payload: 1012, SourcePort: 443, DestinationPort: 50000},
			{Payload: 32, SourcePort: 53, DestinationPort: 5353}, {Payload: room, SourcePort: 7, DestinationPort: 9},
		}
		for i, s := range r.Shapes {
			if len(s.Content) != s.Payload-signature.Bytes {
				t.Errorf("%s: shape %d has %d octets of content, %d of payload", name, i, len(s.Content), s.Payload)
			}
			s.Content = nil
			if i >= len(want) || !reflect.DeepEqual(s, want[i]) {
				t.Errorf("%s: shape %d is %+v", name, i, s)
			}
		}
		if len(r.Shapes) != len(want) || !reflect.DeepEqual(r.Order, []uint16{0, 1, 2, 0, 3}) {
			t.Errorf("%s: %d shapes in the order %v", name, len(r.Shapes), r.Order)
		}
		// 5 packets in 10 ms, and a mean gap of 2.5 ms before the next round.
		if math.Abs(r.PPS-400) > 1 {
			t.Errorf("%s: %.1f packets/s, want 400", name, r.PPS)
		}
		if want := (traffic.Arrivals{410, 819, 1229, 1638, 1024}); !near(r.Arrivals, want) {
			t.Errorf("%s: gaps %v, want %v", name, r.Arrivals, want)
		}
	}
}

// near allows for the microseconds that a capture's clock has.
func near(a, b traffic.Arrivals) bool {
	for i := range b {
		if len(a) != len(b) || math.Abs(float64(a[i])-float64(b[i])) > 3 {
			return false
		}
	}
	return true
}

func TestContents(t *testing.T) {
	r, err := Read("testdata/ethernet.pcap", room)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{string(byteRange(32, 100)), "TTTT", "", "LLLL"} {
		if got := string(r.Shapes[i].Content); !strings.HasSuffix(got, want) {
			t.Errorf("the content of shape %d ends %q, want %q", i, got[max(0, len(got)-8):], want)
		}
	}
}

func byteRange(from, to int) (b []byte) {
	for i := from; i < to; i++ {
		b = append(b, byte(i))
	}
	return b
}

func TestNotesSayWhatIsNotSentAsItWas(t *testing.T) {
	r, err := Read("testdata/ethernet.pcap", room)
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{
		"5 of the capture's 10 packets are sent", "4 different ones",
		"skipped (1 GTP-U, which would be taken for the tunnel, 1 fragments, 1 neither UDP nor TCP, 2 not IPv4)",
		"1 TCP segments are sent as UDP", "1 packets are lengthened", "1 packets are cut to the 1400",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q:\n%s", want, notes)
		}
	}
}

func TestSequence(t *testing.T) {
	r := Recording{Order: []uint16{0, 1, 0}}
	if got, want := r.Sequence(1), (traffic.Sequence{{Flow: 1}, {Flow: 1, Shape: 1}, {Flow: 1}}); !reflect.DeepEqual(got, want) {
		t.Errorf("one flow: %v", got)
	}
	if got, want := r.Sequence(0, 1), (traffic.Sequence{{}, {Flow: 1, Shape: 1}, {}}); !reflect.DeepEqual(got, want) {
		t.Errorf("both flows: %v", got)
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct{ path, says string }{
		{"testdata/none.pcap", "no such file"},
		{"testdata/captures.py", "neither pcap nor pcapng"},
		{"testdata/sll.pcap", "link type"},
	} {
		if _, err := Read(c.path, room); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.path, err, c.says)
		}
	}
}

// A capture that was cut short has the packets before the cut.
func TestCutShort(t *testing.T) {
	b, err := os.ReadFile("testdata/ethernet.pcap")
	if err != nil {
		t.Fatal(err)
	}
	r, err := read(bytes.NewReader(b[:len(b)-20]), room)
	if err != nil || len(r.Order) != 4 || !strings.Contains(strings.Join(r.Notes, " "), "ends early") {
		t.Errorf("%+v, %v", r, err)
	}
}

func FuzzRead(f *testing.F) {
	fuzztest.Brief(f)
	for _, name := range []string{"ethernet.pcap", "ethernet.pcapng", "raw.pcap", "sll.pcap"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := read(bytes.NewReader(b), room)
		if err != nil {
			return
		}
		if len(r.Order) == 0 || len(r.Order) != len(r.Arrivals) {
			t.Errorf("%d packets with %d gaps", len(r.Order), len(r.Arrivals))
		}
		for _, s := range r.Shapes {
			if s.Payload < signature.Bytes || s.Payload > room || len(s.Content) != s.Payload-signature.Bytes {
				t.Errorf("shape %+v", s)
			}
		}
	})
}
