package icmp6

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// messages are the packets that scapy made.
func messages(t testing.TB) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{"": nil}
	for line := range strings.Lines(string(text)) {
		name, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		if all[name], err = hex.DecodeString(digits); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

var prefix = netip.MustParsePrefix("2001:db8:45:2::/64")

func TestAnswer(t *testing.T) {
	m := messages(t)
	for question, answer := range map[string]string{
		"rs": "ra", "rs-option": "ra", "rs-no-source": "ra-all", "rs-routed": "", "rs-code": "", "rs-checksum": "",
		"ns": "na", "ns-other": "", "ns-no-source": "", "echo": "", "long": "", "ra": "",
	} {
		if got := Answer(m[question], prefix); !bytes.Equal(got, m[answer]) {
			t.Errorf("%s is answered with\n%x, want\n%x", question, got, m[answer])
		}
	}
	if got := Answer(m["rs"], netip.MustParsePrefix("2001:db8:45:2::5/128")); !bytes.Equal(got, m["ra-no-prefix"]) {
		t.Errorf("without a prefix: %x", got)
	}
	if got := Answer(m["rs"], netip.MustParsePrefix("2001:db8:45:2::/63")); !bytes.Equal(got, m["ra"]) {
		t.Errorf("of a delegated prefix: %x", got)
	}
}

func TestExpired(t *testing.T) {
	m := messages(t)
	if got := ExpiredPacket(m["long"]); !bytes.Equal(got, m["expired"]) {
		t.Errorf("sent\n%x, want\n%x", got, m["expired"])
	}
	for _, none := range []string{"error", "rs-no-source"} {
		if got := ExpiredPacket(m[none]); got != nil {
			t.Errorf("%s is answered with %x", none, got)
		}
	}
}

func TestTooBig(t *testing.T) {
	m := messages(t)
	for mtu, want := range map[int]string{1500: "too-big", 1280: "too-big-least", 576: "too-big-least"} {
		if got := TooBigPacket(m["long"], mtu); !bytes.Equal(got, m[want]) {
			t.Errorf("MTU %d:\n%x, want\n%x", mtu, got, m[want])
		}
	}
	for _, none := range []string{"error", "rs-no-source"} {
		if got := TooBigPacket(m[none], 1500); got != nil {
			t.Errorf("%s is answered with %x", none, got)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	fuzztest.Brief(f)
	for _, b := range messages(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, packet []byte) {
		for _, b := range [][]byte{Answer(packet, prefix), TooBigPacket(packet, 1400)} {
			if len(b) > minimumMTU || b != nil && sumOf(b) != 0xffff {
				t.Errorf("%x is answered with %x", packet, b)
			}
		}
	})
}
