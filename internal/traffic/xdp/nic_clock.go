package xdp

import (
	"time"

	"github.com/upflab/upflab/internal/netdev"
)

// readNICTimes has the sink read the times of the port's NIC, where that has a clock, and its driver
// hands them to programs. Where it cannot the sink stays as it is.
func (s *sink) readNICTimes(port netdev.Port) {
	if s.generic || !port.Physical {
		return
	}
	n := port.ClockIndex()
	if n < 0 {
		return
	}
	f, err := port.XDPFeatures()
	if err != nil || f.RxMetadata&netdev.RxTimestamp == 0 {
		return
	}
	clock := func() (ahead int64, errorNS uint64, err error) {
		ahead, errorNS, err = netdev.ReadClock(n)
		return ahead - time.Now().UnixNano() + int64(monotonic()), errorNS + readingNS, err
	}
	if _, _, err := clock(); err == nil {
		_ = s.openStamps(clock) // else it stays as it was
	}
}

// readingNS is by how much the two clocks of this machine, which are read one after the other, may be
// taken apart.
const readingNS = 200
