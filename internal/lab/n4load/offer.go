package n4load

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/gctune"
	"github.com/upflab/upflab/internal/socket/threads"
)

// Offer is an open loop: procedures that begin at a rate, whether answers come or not.
type Offer struct {
	PerS     float64
	Poisson  bool
	Seed     uint64
	Duration time.Duration
	Mix      []Share
	// Settle is how long the load waits for answers after the last procedure was due; 0 means 1 s.
	Settle time.Duration
	// Until ends the offer before Duration when it is closed; it may be nil.
	Until <-chan struct{}
	// Limit is the longest time that a procedure should take, for Outcome.Late; 0 means none.
	Limit time.Duration
	// Beside is true where user traffic is sent from the same CPUs: those of CPUs, or any when there are
	// none. The sender then has priority there, and sleeps when it has nothing to send.
	Beside bool
	CPUs   []int
}

const defaultSettle = time.Second

// Offer begins procedures at the rate of o, and returns what became of them. It ends early when no session
// is left for its one procedure; Outcome.Seconds says how long it was. Each message is sent once.
// Those that are not answered are sent again after all is counted, so that the state of each session is
// known.
func (l *Load) Offer(ctx context.Context, o Offer) (*Outcome, error) {
	if err := Check(o.Mix); err != nil {
		return nil, err
	}
	if o.Settle == 0 {
		o.Settle = defaultSettle
	}
	out := newOutcome(o.Limit)
	l.mu.Lock()
	l.tally = out
	l.mu.Unlock()
	defer withoutGC(o)()
	err := onThread(o, func() error { return l.send(ctx, o, out) })
	l.settle(ctx, o.Settle)
	l.mu.Lock()
	l.tally = nil
	out.Unanswered += uint64(l.pending)
	l.mu.Unlock()
	if err != nil {
		return out, err
	}
	return out, l.resolve(ctx)
}

// withoutGC turns the garbage collector off for the offer, unless its garbage would not fit into 1 GiB. The
// function that it returns restores the collector.
func withoutGC(o Offer) func() {
	const each, most = 2048, 1 << 30
	if o.PerS*o.Duration.Seconds()*each > most {
		return func() {}
	}
	return gctune.Pause(most)
}

// onThread runs do on a separate thread. With o.Beside it has priority on its CPUs, where that is allowed.
func onThread(o Offer, do func() error) error {
	done := make(chan error)
	if o.Beside {
		threads.Once(func() {
			threads.GoFirst(o.CPUs...)
			done <- do()
		})
	} else {
		threads.Go(func() { done <- do() })
	}
	return <-done
}

// send begins each procedure when it is due, until the offer ends.
func (l *Load) send(ctx context.Context, o Offer, out *Outcome) error {
	w := l.client.NewWriter()
	random := rand.New(rand.NewPCG(o.Seed, 1))
	gap := float64(time.Second) / o.PerS
	early := asleep
	if o.Beside { // giving way would keep those of lower priority from the CPU
		early = 0
	}
	start := l.now() + int64(time.Millisecond)
	end := float64(o.Duration)
	at := 0.0
	for n := 0; at < end; n++ {
		due := start + int64(at)
		l.until(due, early)
		if n%16 == 0 && o.ended(ctx) {
			break
		}
		err := l.begin(w, o.Mix, random, due)
		if errors.Is(err, errNone) && UsesUp(o.Mix) {
			break
		}
		if errors.Is(err, errNone) {
			l.skip(out)
		} else if err != nil {
			return err
		}
		out.Due++
		if o.Poisson {
			at += gap * random.ExpFloat64()
		} else {
			at = float64(n+1) * gap
		}
	}
	out.Seconds = math.Max(at, float64(l.now()-start)) / float64(time.Second)
	return ctx.Err()
}

// UsesUp reports whether a mix leaves its sessions in another state, so that Ready has to bring them back
// before the offer is repeated.
func UsesUp(mix []Share) bool {
	return len(mix) == 1 && kinds[mix[0].Procedure].from != kinds[mix[0].Procedure].to
}

// skip counts a procedure for which no session was free, because the UPF has not answered those under way.
func (l *Load) skip(out *Outcome) {
	l.mu.Lock()
	out.Sent++
	out.Unanswered++
	l.mu.Unlock()
}

// ended reports whether the offer is to end before its time.
func (o Offer) ended(ctx context.Context) bool {
	select {
	case <-o.Until:
		return true
	default:
		return ctx.Err() != nil
	}
}

// begin begins a procedure of the mix, chosen by weight. Where it finds no session in its first state,
// another procedure of the mix takes its turn.
func (l *Load) begin(w *smf.Writer, mix []Share, random *rand.Rand, due int64) error {
	for range 3 * len(mix) {
		if err := l.start(w, mix[choose(mix, random)].Procedure, due, true); !errors.Is(err, errNone) || len(mix) == 1 {
			return err
		}
	}
	return errNone
}

func choose(mix []Share, random *rand.Rand) int {
	if len(mix) == 1 {
		return 0
	}
	var sum float64
	for _, s := range mix {
		sum += s.Weight
	}
	at := random.Float64() * sum
	for i, s := range mix {
		if at -= s.Weight; at < 0 {
			return i
		}
	}
	return 0
}

// settle waits until no task is under way, for a time at most.
func (l *Load) settle(ctx context.Context, most time.Duration) {
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	for {
		l.mu.Lock()
		n := l.pending
		l.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-l.changed:
		case <-deadline.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// asleep is how long before the due time a sleep ends, since the kernel wakes a thread up to that much
// late.
const asleep = 120 * time.Microsecond

// until waits until a time, ns since l.begun: it sleeps until early before it, and then yields the CPU in a
// loop. It occupies the thread.
func (l *Load) until(at int64, early time.Duration) {
	for {
		left := time.Duration(at - l.now())
		switch {
		case left <= 0:
			return
		case left > early:
			threads.Sleep(min(left-early, 10*time.Millisecond))
		default:
			unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		}
	}
}
