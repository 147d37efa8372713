package netdev

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/ethtool"
)

// ClockIndex is the number of the clock by which the port's NIC stamps packets: N of /dev/ptpN;
// below 0: it has none, or does not stamp what it receives.
func (p *Port) ClockIndex() (n int) {
	p, n = p.device(), -1
	p.NS.Do(func() (err error) {
		n, err = ethtool.Clock(p.Name)
		return err
	})
	return n
}

// ReadClock says by how much CLOCK_REALTIME is ahead of a NIC's clock, ns, and how exactly that is
// known: half of the time that the reading took.
func ReadClock(n int) (ahead int64, errorNS uint64, err error) {
	path := fmt.Sprintf("/dev/ptp%d", n)
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, fmt.Errorf("read a NIC's clock: %w", err)
	}
	defer f.Close()
	const samples = 9
	value, err := unix.IoctlPtpSysOffsetExtended(int(f.Fd()), samples)
	if err != nil {
		return 0, 0, fmt.Errorf("read a NIC's clock %s: %w", path, err)
	}
	ahead, errorNS = closestReading(value.Ts[:value.Samples])
	return ahead, errorNS, nil
}

// closestReading takes the quickest of readings of the system's clock, the NIC's, and the system's
// again.
func closestReading(readings [][3]unix.PtpClockTime) (ahead int64, errorNS uint64) {
	ns := func(t unix.PtpClockTime) int64 { return t.Sec*1e9 + int64(t.Nsec) }
	best := int64(1) << 62
	for _, r := range readings {
		before, at, after := ns(r[0]), ns(r[1]), ns(r[2])
		if took := after - before; took < best {
			best, ahead = took, before+took/2-at
		}
	}
	return ahead, uint64(best+1) / 2
}
