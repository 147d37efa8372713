package host

import (
	"fmt"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/threads"
)

// ReceivePriority is that of NAPI threads: above that of a UPF's threads that answer its SMF.
const ReceivePriority = 2

// PinNAPI makes the port's NAPI threaded and runs its threads on the CPUs given,
// thread i on CPU i modulo their number.
//
// With realtime they run before all normal threads, as the softirq does that they
// replace: an XDP data path has nothing else to do there. Without, they share the
// CPU fairly with a UPF's process that reads what they deliver.
func PinNAPI(p *netdev.Port, cpus []int, realtime bool) ([]int, error) {
	if err := p.SetThreaded(true); err != nil {
		return nil, err
	}
	pids, err := p.NAPIThreads()
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
