package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// latencyRequest is where programs say how soon a CPU has to wake up (Linux PM QoS).
const latencyRequest = "/dev/cpu_dma_latency"

// StayAwake makes idle CPUs poll for work, instead of sleeping, until the claim is
// closed: the wake-up of a sleeping CPU takes longer than most UPFs take for a
// packet, above all in a virtual machine. The kernel takes the request back when its
// holder ends, however that is.
func (c *Claim) StayAwake() error {
	f, err := os.OpenFile(latencyRequest, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s", latencyRequest)
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

// allowSleep takes the request back.
func (c *Claim) allowSleep() error {
	if c.cstates == nil {
		return nil
	}
	return c.cstates.Close()
}
