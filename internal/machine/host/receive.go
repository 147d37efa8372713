package host

import (
	"fmt"
	"reflect"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/socket/threads"
)

// ReceivePriority is that of NAPI threads: above that of a UPF's threads that answer its SMF.
const ReceivePriority = 2

// PinsNAPI reports whether upflab may run the kernel's receive work on CPUs of its choice: it is root, also of
// the machine, and the kernel has threads for that work (threaded NAPI, Linux 5.12).
func PinsNAPI() bool {
	return !Rootless() && Runs(5, 12)
}

// PinNAPI makes the port's NAPI threaded and runs its threads on the CPUs given,
// thread i on CPU i modulo their number.
//
// With realtime they run before all normal threads, as the softirq does that they
// replace: an XDP data path has nothing else to do there. Without, they share the
// CPU fairly with a UPF's process that reads what they deliver.
func PinNAPI(p *netdev.Port, cpus []int, realtime bool) ([]int, error) {
	if err := p.NAPI().SetThreaded(true); err != nil {
		return nil, err
	}
	pids, err := p.NAPI().Threads()
	if err != nil {
		return nil, err
	}
	for i, pid := range pids {
		if err := threads.Pin(pid, cpus[i%len(cpus)]); err != nil {
			return nil, fmt.Errorf("pin NAPI thread of %s: %w", p.Name, err)
		}
		if !realtime {
			continue
		}
		if err := threads.Raise(pid, ReceivePriority); err != nil {
			return nil, fmt.Errorf("raise priority of NAPI thread of %s: %w", p.Name, err)
		}
	}
	return pids, nil
}

// switched is a device of the host whose GRO a run has switched on.
type switched struct {
	Name string `json:"name"`
	Home uint32 `json:"home"` // inode of its network namespace
}

const gro = "rx-gro"

// SwitchGROOn switches generic receive offload of a device of the host on, until
// RestoreGRO. A device that does not have it, or has it on, is left alone.
func (c *Claim) SwitchGROOn(p *netdev.Port) error {
	now, err := p.Features()
	if on, has := now[gro]; err != nil || !has || on {
		return nil
	}
	home, err := p.NS.Inode()
	if err != nil {
		return err
	}
	if err := c.add(func(o *owned) { o.GRO = append(o.GRO, switched{p.Name, home}) }); err != nil {
		return err
	}
	return p.SetGRO(true)
}

// RestoreGRO switches it off where it was off before.
func (c *Claim) RestoreGRO() error {
	return giveBack(c, c.owns.GRO, (*owned).dropGRO)
}

// restore switches GRO off; a device that is gone has none.
func (s switched) restore() (was bool, err error) {
	return atHome(s.Home, s.Name, func(p *netdev.Port) error { return p.SetGRO(false) })
}

// spreading is how a device of the host spread what it receives before a run changed that.
type spreading struct {
	Name string        `json:"name"`
	Home uint32        `json:"home"` // inode of its network namespace
	Was  netdev.Spread `json:"was"`
}

func (s spreading) is(x spreading) bool { return reflect.DeepEqual(s, x) }

// KeepSpread writes down the queues, hashes and rules of a device that stays where it is, for
// RestoreSpreads, and for whoever cleans up after a killed run. Call it before they are changed.
func (c *Claim) KeepSpread(p *netdev.Port) error {
	was, err := p.Queues().Spread()
	if err != nil {
		return err
	}
	home, err := p.NS.Inode()
	if err != nil {
		return err
	}
	return c.add(func(o *owned) { o.Spreads = append(o.Spreads, spreading{p.Name, home, was}) })
}

// RestoreSpreads gives the devices back what they had.
func (c *Claim) RestoreSpreads() error {
	return giveBack(c, c.owns.Spreads, (*owned).dropSpread)
}

// restore gives a device its queues back; one that is gone has none.
func (s spreading) restore() (was bool, err error) {
	return atHome(s.Home, s.Name, func(p *netdev.Port) error {
		if err := p.Queues().Restore(s.Was); err != nil {
			return fmt.Errorf("its queues: %w", err)
		}
		return nil
	})
}
