package n3socket

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// TestJoinedSignalling: messages that the kernel hands over as one are read one by one, each
// whole, and so is one that comes alone.
func TestJoinedSignalling(t *testing.T) {
	g := open(t, 1)
	c := peer(t, gNB)
	to := netip.AddrPortFrom(ours, gtpu.Port)
	var joined []byte
	for i := range 5 {
		joined = append(joined, echo(uint16(i))...)
	}
	_, _, err := c.WriteMsgUDPAddrPort(joined, cut(len(joined)/5), to)
	livetest.Must(t, err)
	_, err = c.WriteToUDPAddrPort(echo(5), to)
	livetest.Must(t, err)
	livetest.Must(t, g.Signalling.SetReadDeadline(time.Now().Add(10*time.Second)))
	for want := range uint16(6) {
		b := make([]byte, 2000)
		n, from, err := g.Signalling.ReadFrom(b)
		livetest.Must(t, err)
		if string(b[:n]) != string(echo(want)) || from.String() != gNB.String() {
			t.Errorf("message %d is %x from %v", want, b[:n], from)
		}
	}
}

// echo is an Echo Request, TS 29.281 clause 7.2.1.
func echo(sequence uint16) []byte {
	return []byte{0x32, 1, 0, 4, 0, 0, 0, 0, byte(sequence >> 8), byte(sequence), 0, 0}
}

// cut is the control message that has the kernel cut a message.
func cut(size int) []byte {
	b := make([]byte, unix.CmsgSpace(2))
	binary.NativeEndian.PutUint64(b, uint64(unix.CmsgLen(2)))
	binary.NativeEndian.PutUint32(b[8:], unix.SOL_UDP)
	binary.NativeEndian.PutUint32(b[12:], unix.UDP_SEGMENT)
	binary.NativeEndian.PutUint16(b[unix.CmsgLen(0):], uint16(size))
	return b
}
