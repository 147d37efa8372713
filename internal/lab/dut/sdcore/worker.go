package sdcore

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/sdcore/bess"
)

// worker separates the work of BESS's worker from its polling. BESS counts the cycles of
// each task, empty polls included. The ports count those polls, and the cost of one is
// measured while no packets arrive.
type worker struct {
	bess   *bess.Client
	ports  names
	leaves []bess.Leaf
	idle   float64 // cycles of a poll that finds nothing
}

// polled are the totals of a worker.
type polled struct {
	all    float64 // cycles of all tasks
	cycles float64 // of those that poll the ports
	rounds float64 // of the same
	empty  float64 // rounds that found nothing
}

func newWorker(ctx context.Context, client *bess.Client, ports names) (*worker, error) {
	w := &worker{bess: client, ports: ports}
	var err error
	if w.leaves, err = client.Leaves(ctx); err != nil {
		return nil, err
	}
	w.idle, err = w.cost(ctx)
	return w, err
}

// cost is the least that a round took in a few looks: in the others something else
// ran on the CPU, or packets came.
func (w *worker) cost(ctx context.Context) (float64, error) {
	const looks, pause = 20, 5 * time.Millisecond
	var samples []polled
	for range looks {
		p, err := w.read(ctx)
		if err != nil {
			return 0, err
		}
		samples = append(samples, p)
		time.Sleep(pause) // what is measured: the rounds from one look to the next
	}
	cost, ok := leastCost(samples)
	if !ok {
		return 0, fmt.Errorf("BESS's worker polls no port: has up4.bess attached their queues?")
	}
	return cost, nil
}

// leastCost is the fewest cycles a round took from one sample to the next.
func leastCost(samples []polled) (least float64, ok bool) {
	for i := 1; i < len(samples); i++ {
		rounds := samples[i].rounds - samples[i-1].rounds
		if rounds <= 0 {
			continue
		}
		if c := (samples[i].cycles - samples[i-1].cycles) / rounds; !ok || c < least {
			least, ok = c, true
		}
	}
	return least, ok
}

func (w *worker) read(ctx context.Context) (p polled, err error) {
	for _, leaf := range w.leaves {
		u, err := w.bess.Usage(ctx, leaf.Name)
		if err != nil {
			return p, err
		}
		p.all += float64(u.Cycles)
		if w.polls(leaf) {
			p.cycles, p.rounds = p.cycles+float64(u.Cycles), p.rounds+float64(u.Rounds)
		}
	}
	for device := range w.ports {
		s, err := w.bess.PortStats(ctx, port(device))
		if err != nil {
			return p, err
		}
		if len(s.In.Actual) > 0 {
			p.empty += float64(s.In.Actual[0])
		}
	}
	return p, nil
}

// polls reports whether a task polls the port of N3 or N6. Others do not, such as the
// socket for end markers.
func (w *worker) polls(leaf bess.Leaf) bool {
	for device := range w.ports {
		if strings.HasPrefix(leaf.Module, device) {
			return true
		}
	}
	return false
}

// work is in cycles.
func (w *worker) work() (dut.Work, error) {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	p, err := w.read(ctx)
	return p.work(w.idle), err
}

func (p polled) work(idle float64) dut.Work {
	return dut.Work{Busy: max(0, p.cycles-p.empty*idle), Total: p.all}
}
