package netdev

import (
	"fmt"
	"path/filepath"
)

// ReceiveQueues is how many receive queues the port uses, at least 1.
func (p *Port) ReceiveQueues() (n int, err error) {
	err = p.NS.doWithSysfs(func() error {
		queues, err := filepath.Glob("/sys/class/net/" + p.Name + "/queues/rx-*")
		if err == nil && len(queues) == 0 {
			err = fmt.Errorf("%s has no receive queues: is it still there?", p.Name)
		}
		n = len(queues)
		return err
	})
	return n, err
}
