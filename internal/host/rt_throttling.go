package host

import "fmt"

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
	was, err := readNumber(rtRuntime)
	if err != nil || was == unthrottled {
		return err
	}
	if err := c.change(func(o *owned) { o.RTRuntime = was }); err != nil {
		return err
	}
	return writeNumber(rtRuntime, unthrottled)
}

// restoreRTLimit gives the machine the limit that it had.
func (c *Claim) restoreRTLimit() error {
	if c.owns.RTRuntime == 0 {
		return nil
	}
	if err := writeNumber(rtRuntime, c.owns.RTRuntime); err != nil {
		return err
	}
	return c.change(func(o *owned) { o.RTRuntime = 0 })
}
