package afxdp

import (
	"encoding/binary"
	"encoding/hex"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/socket/xsk"
	"github.com/upflab/upflab/internal/text/wait"
)

// fixed is the clock of a NIC that is behind CLOCK_MONOTONIC by so many ns.
func fixed(ahead int64, errorNS uint64) nicClock {
	return func() (int64, uint64, error) { return ahead, errorNS, nil }
}

// TestMetadata: what asks for a time lies in front of the frame as struct xsk_tx_metadata of
// linux/if_xdp.h does: 8 octets of flags, of which bit 0 is XDP_TXMD_FLAGS_TIMESTAMP, then 8 that
// the kernel writes, all little endian on the machines that have these drivers.
func TestMetadata(t *testing.T) {
	s := &socket{Socket: &xsk.Socket{Memory: make([]byte, 2*chunkBytes)}, holds: make([]content, 2), times: &times{clock: fixed(0, 0)}}
	for i := range s.Memory {
		s.Memory[i] = 0xee
	}
	if options := s.askTime(chunkBytes); options != 1<<1 { // XDP_TX_METADATA
		t.Errorf("the descriptor's options are %#x", options)
	}
	if got := hex.EncodeToString(s.Memory[chunkBytes+dataAt-24:][:24]); got != "010000000000000000000000000000000000000000000000" {
		t.Errorf("the metadata is %s", got)
	}
	if got := s.Memory[chunkBytes+dataAt]; got != 0xee {
		t.Errorf("the frame's first octet is %#x", got)
	}
	if s.times = nil; s.askTime(0) != 0 || s.Memory[dataAt-24] != 0xee {
		t.Error("a socket without times asks for one")
	}
}

// TestTakeTime: of a frame that was written at 5000 ns and whose NIC, whose clock is 1000 ns behind,
// says 4700, 700 ns went by; a stamp of 0 is none.
func TestTakeTime(t *testing.T) {
	s := &socket{Socket: &xsk.Socket{Memory: make([]byte, chunkBytes)}, holds: []content{{head: 74}},
		times: &times{clock: fixed(1020, 30), ahead: 1000, errorNS: 30}}
	sig := signature.Signature{Sent: 5000}
	sig.Put(s.Memory[dataAt+74-signature.Bytes:])
	for _, stamp := range []uint64{4700, 4900, 0} {
		binary.LittleEndian.PutUint64(s.Memory[dataAt-16:], stamp)
		s.takeTime(0)
	}
	r := s.times.record()
	if r.Packets != 2 || r.Without != 1 || r.MeanNS != 800 || r.MinNS != 700 || r.MaxNS != 900 || r.ErrorNS != 30+30+20 {
		t.Errorf("%+v", r)
	}
	if (*times)(nil).record() != nil {
		t.Error("a socket without times has some")
	}
}

// TestKernelStamps: the kernel takes the metadata, and where a socket's frames are copied, as on a
// veth, writes the time (TAI) at which it let go of the frame (Linux 6.8).
func TestKernelStamps(t *testing.T) {
	tb := sitetest.Build(t)
	port := tb.Links().GNB
	var s *socket
	err := port.NS.Do(func() (err error) {
		s, err = bind(port, 0, unix.XDP_COPY, &times{clock: fixed(0, 0)})
		return err
	})
	if err != nil {
		t.Skipf("this kernel takes no metadata of sent frames: %v", err)
	}
	defer s.Close()
	head := make([]byte, 74)
	copy(head, append(append([]byte{}, tb.Links().UPFN3.MAC...), port.MAC...))
	sig := signature.Signature{Sent: tai(t)}
	sig.Put(head[74-signature.Bytes:])
	if _, err := s.Send([]tpacket.Parts{{Head: head}}); err != nil {
		t.Fatal(err)
	}
	wait.Until(3*time.Second, time.Millisecond, func() bool {
		s.reclaim()
		return s.times.count+s.times.without > 0
	})
	if r := s.times.record(); r == nil || r.Packets != 1 || r.MinNS < 0 || r.MinNS > int64(30*time.Second) {
		t.Errorf("%+v", r)
	}
}

func tai(t *testing.T) uint64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_TAI, &ts); err != nil {
		t.Fatal(err)
	}
	return uint64(ts.Nano())
}
