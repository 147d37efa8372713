package disturbance

import "time"

// The kernel's vectors of network softirqs (enum in linux/interrupt.h).
const (
	netTX = 2
	netRX = 3
)

// NetSoftIRQ is how long CPUs that are watched have been in network softirqs: on top of
// the threads of ours, and of all else. Other softirqs are the kernel's own.
func (m *Monitor) NetSoftIRQ(cpus []int) (inside, outside time.Duration, err error) {
	for _, cpu := range cpus {
		c, err := m.cpu(cpu)
		if err != nil {
			return 0, 0, err
		}
		inside += time.Duration(c.Inside[netTX] + c.Inside[netRX])
		outside += time.Duration(c.Outside[netTX] + c.Outside[netRX])
	}
	return inside, outside, nil
}
