package xdp

import (
	"time"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/socket/threads"
)

// readNICTimes has the sink read the times of the port's NIC, where that has a clock, and its driver
// hands them to programs. Where that fails the sink stays as it is, and the trial says why.
func (s *sink) readNICTimes(port netdev.Port) {
	if s.generic || !port.Physical {
		return
	}
	n := port.ClockIndex()
	if n < 0 {
		return
	}
	f, err := port.XDP().Features()
	if err != nil || f.RxMetadata&netdev.RxTimestamp == 0 {
		return
	}
	clock := func() (ahead int64, errorNS uint64, err error) {
		ahead, errorNS, err = netdev.ReadClock(n)
		return ahead - time.Now().UnixNano() + int64(threads.Monotonic()), errorNS + readingNS, err
	}
	_, _, err = clock()
	if err == nil {
		err = s.openStamps(clock)
	}
	if err != nil {
		s.noStamps = err.Error()
	}
}

// readingNS is by how much the two clocks of this machine, which are read one after the other, may be
// taken apart.
const readingNS = 200
