package afxdp

import (
	"encoding/binary"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/socket/threads"
)

// What is in front of a frame of a socket that asks for times: struct xsk_tx_metadata of
// linux/if_xdp.h (Linux 6.8), of which there are flags, and what is asked, where the kernel
// writes the time at which the frame was sent before it completes it. Linux 6.14 made it
// longer; a longer one is taken by all.
const (
	metadataBytes = 24
	metadataFlags = 0
	metadataTime  = 8
)

// metadata is that of the chunk at an address.
func (s *socket) metadata(chunk uint64) []byte {
	return s.Memory[chunk+dataAt-metadataBytes:][:metadataBytes]
}

// askTime asks for the time at which the frame in a chunk is sent, and gives the descriptor's
// options for that.
func (s *socket) askTime(chunk uint64) (options uint32) {
	if s.times == nil {
		return 0
	}
	m := s.metadata(chunk)
	clear(m)
	binary.NativeEndian.PutUint64(m[metadataFlags:], unix.XDP_TXMD_FLAGS_TIMESTAMP)
	return unix.XDP_TX_METADATA
}

// takeTime takes the time of a frame that was sent.
func (s *socket) takeTime(chunk uint64) {
	if s.times == nil {
		return
	}
	head := s.holds[chunk/chunkBytes].head
	if head < signature.Bytes {
		return // of no test packet, or not known
	}
	sig, is := signature.Parse(s.Memory[chunk+dataAt:][head-signature.Bytes : head])
	if !is {
		return
	}
	s.times.take(binary.NativeEndian.Uint64(s.metadata(chunk)[metadataTime:]), sig.Sent)
}

// nicClock says by how much CLOCK_MONOTONIC is ahead of the NIC's clock, ns, and how exactly.
type nicClock func() (ahead int64, errorNS uint64, err error)

// times are those at which a NIC sent the frames of a socket, compared with when they were
// written. The sending thread alone uses it while it sends.
type times struct {
	clock   nicClock
	ahead   int64 // when the socket was opened
	errorNS uint64

	count, without uint64
	sum            float64
	least, most    int64
}

func (t *times) take(stamp, written uint64) {
	if stamp == 0 {
		t.without++
		return
	}
	took := int64(stamp) + t.ahead - int64(written)
	if t.count == 0 || took < t.least {
		t.least = took
	}
	if t.count == 0 || took > t.most {
		t.most = took
	}
	t.count++
	t.sum += float64(took)
}

// record is what is known of a socket's times; nil: nothing. What the NIC's clock drifted since
// it was opened is within the error.
func (t *times) record() *record.SentByNIC {
	if t == nil || t.count+t.without == 0 {
		return nil
	}
	r := &record.SentByNIC{Packets: t.count, Without: t.without, MinNS: t.least, MaxNS: t.most, ErrorNS: t.errorNS}
	if t.count > 0 {
		r.MeanNS = t.sum / float64(t.count)
	}
	if now, within, err := t.clock(); err == nil {
		r.ErrorNS += within + uint64(max(now-t.ahead, t.ahead-now))
	}
	return r
}

// openTimes finds the clock of a port whose driver gives sockets the time at which its NIC sent a
// frame. why says that there is none.
func openTimes(port netdev.Port) (t *times, why string) {
	f, err := port.XDP().Features()
	switch {
	case err != nil:
		return nil, err.Error()
	case f.Socket&netdev.TxTimestamp == 0:
		return nil, "its driver gives AF_XDP sockets no times"
	}
	n := port.ClockIndex()
	if n < 0 {
		return nil, "its NIC has no clock"
	}
	t = &times{clock: func() (int64, uint64, error) {
		ahead, errorNS, err := netdev.ReadClock(n)
		return ahead - time.Now().UnixNano() + int64(threads.Monotonic()), errorNS + readingNS, err
	}}
	if t.ahead, t.errorNS, err = t.clock(); err != nil {
		return nil, err.Error()
	}
	return t, ""
}

// readingNS is by how much the two clocks of this machine, which are read one after the other, may be
// taken apart.
const readingNS = 200
