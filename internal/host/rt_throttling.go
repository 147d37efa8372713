package host

import (
	"fmt"
	"os"
)

// rtRuntime is how many µs of each second real-time threads may run; -1: all.
const rtRuntime = "/proc/sys/kernel/sched_rt_runtime_us"

const unthrottled = -1

// NeverThrottle lets real-time threads run without a break until the claim is closed.
// The threads that receive for XDP data paths are such: by default the kernel takes
// them off their CPU for 50 ms of each second in which they are busy, which is 5 % of
// their rate, and rings overflow. Since Linux 6.8 a server of the scheduler sees that
// other threads do not starve; earlier kernels have nothing else against that, and are
// left alone.
func (c *Claim) NeverThrottle() error {
	if ok, err := AtLeast(kernelRelease(), 6, 8); err != nil || !ok {
		return fmt.Errorf("kernel %s needs it against starving", kernelRelease())
	}
	return withRTLimit(c.dir, func(s *settings, save func() error) error {
		now, err := readNumber(rtRuntime)
		if err != nil {
			return err
		}
		others := wideHolders(c.Run)
		switch {
		case s.RTLimit != nil:
		case len(others) > 0: // of another /run: they have changed it
			s.RTLimit = &shared{Was: others[0].was}
		case now == unthrottled:
			return nil // somebody else's decision
		default:
			s.RTLimit = &shared{Was: now}
		}
		s.RTLimit.use(c.Run)
		if err := save(); err != nil {
			s.RTLimit.release(c.Run)
			return err
		}
		if c.unthrottled, err = (wideHolder{c.Run, s.RTLimit.Was}).hold(); err != nil {
			s.RTLimit.release(c.Run)
			return err
		}
		return writeNumber(rtRuntime, unthrottled)
	})
}

// withRTLimit is withSettings, while no instance with another /run changes the limit either.
func withRTLimit(dir string, f func(s *settings, save func() error) error) error {
	return withSettings(dir, func(s *settings, save func() error) error {
		lock, err := lockWide()
		if err != nil {
			return err
		}
		defer lock.Close()
		return f(s, save)
	})
}

// releaseRTLimit gives the machine its limit back when no run needs it lifted, of this list or
// of another one. A limit that somebody set in the meantime stays.
func releaseRTLimit(dir, run string) error { return letThrottle(dir, run, nil) }

// letThrottle is releaseRTLimit of a run that shows that it needs the limit lifted. It stops to show
// that before anybody else looks: of two runs that end at once each would leave the limit to the other.
func letThrottle(dir, run string, shown *os.File) error {
	return withRTLimit(dir, func(s *settings, save func() error) error {
		shown.Close() // nil is an error that nobody needs
		if !s.RTLimit.release(run) {
			return nil // it has no share, or others need it, too
		}
		was := s.RTLimit.Was
		if now, err := readNumber(rtRuntime); len(wideHolders(run)) == 0 && (err != nil || now == unthrottled) {
			if err := writeNumber(rtRuntime, was); err != nil {
				s.RTLimit.use(run)
				return err
			}
		}
		s.RTLimit = nil
		return nil
	})
}
