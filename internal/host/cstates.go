package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// latencyRequest is where programs say how soon a CPU has to wake up (Linux PM QoS).
const latencyRequest = "/dev/cpu_dma_latency"

// StayAwake keeps idle CPUs from sleeping until the claim is closed: the wake-up of a
// sleeping CPU takes longer than most UPFs take for a packet, above all in a virtual
// machine. The kernel takes the request back when its holder ends, however that is; where
// there is no driver that heeds it, the CPUs named are kept busy with nothing.
func (c *Claim) StayAwake(cpus []int) error {
	if err := c.request(); err != nil {
		return err
	}
	if driver := idleDriver(); driver != "" && driver != "none" {
		return nil
	}
	for _, cpu := range cpus {
		if err := c.spin(cpu); err != nil {
			return fmt.Errorf("start a process for that: %w", err)
		}
	}
	return nil
}

func idleDriver() string { return read("/sys/devices/system/cpu/cpuidle/current_driver") }

func (c *Claim) request() error {
	f, err := os.OpenFile(latencyRequest, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no driver heeds it then
	}
	if err != nil {
		return err
	}
	if _, err := f.Write(make([]byte, 4)); err != nil { // 0 us, a 32-bit number
		return errors.Join(err, f.Close())
	}
	c.cstates = f
	return nil
}

// allowSleep takes the request back, and ends the processes.
func (c *Claim) allowSleep() error {
	for _, end := range c.awake {
		end()
	}
	if c.cstates == nil {
		return nil
	}
	return c.cstates.Close()
}
