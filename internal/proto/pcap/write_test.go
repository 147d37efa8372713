package pcap

import (
	"bytes"
	"net"
	"testing"
)

// TestInterfaceHasItsMAC: the block of draft-ietf-opsawg-pcapng clause 4.2, with the
// options if_name (2), if_MACaddr (6, six octets) and if_tsresol (9).
func TestInterfaceHasItsMAC(t *testing.T) {
	want := []byte{
		1, 0, 0, 0, 52, 0, 0, 0, // type, length
		1, 0, 0, 0, 0, 0, 0, 0, // LINKTYPE_ETHERNET, no snap length
		2, 0, 2, 0, 'N', '4', 0, 0,
		6, 0, 6, 0, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0, 0,
		9, 0, 1, 0, 9, 0, 0, 0,
		0, 0, 0, 0, // end of options
		52, 0, 0, 0,
	}
	of := Interface{Name: "N4", MAC: net.HardwareAddr{0, 1, 2, 3, 4, 5}}
	if got := block(nil, blockInterface, of.body()); !bytes.Equal(got, want) {
		t.Errorf("got  % x\nwant % x", got, want)
	}
}
