package packet

import (
	"encoding/hex"
	"strings"
	"testing"
)

// TestFlaw: messages as TS 29.281 figures 5.1-1 and 5.2.1-1 and TS 38.415 figure 5.5.2.1-1 have them, in datagrams, with the
// T-PDU 45 00 and so on left out.
func TestFlaw(t *testing.T) {
	for _, c := range []struct{ story, message, what, why string }{
		{"without extension headers", "30ff000000000001", "", ""},
		{"a sequence number", "32ff00040000000100010000", "", ""},
		{"a container of QFI 9", "34ff00080000000100000085" + "01000900", "", ""},
		{"a header that need not be comprehended before it", "34ff000c0000000100000020" + "01000085" + "01000900", "", ""},
		{"a time stamp of QoS monitoring", "34ff00100000000100000085" + "03080900112233445566" + "7700", "", ""},
		{"a sequence number in the container", "34ff000c0000000100000085" + "020409000001" + "0000", "", ""},
		{"a PPI", "34ff000c0000000100000085" + "020089a0000000" + "00", "", ""},
		{"an uplink container with QMP", "34ff00080000000100000085" + "01180900", "", ""},
		{"a RAN container", "34ff00080000000100000081" + "01000000", "", ""},
		{"the spare bit", "38ff000000000001", WrongHeader, "spare bit"},
		{"an octet too many", "30ff00000000000100", WrongHeader, "1 octets follow"},
		{"an unknown header that has to be comprehended", "34ff000c0000000100000085" + "010009c1" + "01000000", WrongExtension, "type 0xc1"},
		{"two containers", "34ff000c0000000100000085" + "01000985" + "01000900", WrongExtension, "two PDU session containers"},
		{"QMP without a time stamp", "34ff00080000000100000085" + "01080900", WrongContainer, "sets QMP, which takes 10 octets, and has 2"},
		{"SNP without a sequence number", "34ff00080000000100000085" + "01040900", WrongContainer, "sets SNP, which takes 5"},
		{"PPP and QMP in nine octets", "34ff00100000000100000085" + "03088900112233445566" + "7700", WrongContainer, "sets PPP QMP, which takes 11 octets, and has 10"},
	} {
		message, err := hex.DecodeString(c.message)
		if err != nil {
			t.Fatal(err)
		}
		r, ok := Read(outer.Carry(message), mark.Run)
		if !ok || r.Malformed != nil {
			t.Errorf("%s: cannot be read: %v", c.story, r.Malformed)
			continue
		}
		if what, why := r.Flaw(); what != c.what || !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: %q, %q, want %q, %q", c.story, what, why, c.what, c.why)
		}
	}
}

// TestErrorInBrokenTunnelIsNoArrival: an ICMP error quotes the packet that it is about, also where the length of its
// tunnel's header is wrong.
func TestErrorInBrokenTunnelIsNoArrival(t *testing.T) {
	quoted := udp.Bytes(mark)
	icmp := Inner{From: outer.From, To: udp.From, Protocol: ICMP, TTL: 64, Length: 28 + len(quoted)}.Bytes(Mark{})
	icmp[20] = 11
	copy(icmp[28:], quoted)
	o := outer
	for _, short := range []int{0, 4, 400} {
		o.Short = short
		if r, ok := Read(o.Encapsulate(icmp), mark.Run); !ok || r.Marked || (r.Malformed == nil) != (short == 0) {
			t.Errorf("%d octets missing: marked %t, malformed %v", short, r.Marked, r.Malformed)
		}
		if r, _ := Read(o.Encapsulate(quoted), mark.Run); !r.Marked {
			t.Errorf("%d octets missing: the packet itself is not found", short)
		}
	}
}
