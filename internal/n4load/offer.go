package n4load

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/upflab/upflab/internal/smf"
	"github.com/upflab/upflab/threads"
)

// Offer is procedures at a rate, whatever becomes of them.
type Offer struct {
	PerS     float64
	Poisson  bool
	Seed     uint64
	Duration time.Duration
	Mix      []Share
	// Settle is how long answers are waited for after the last one was due: 1 s.
	Settle time.Duration
	// Until ends it before Duration when it is closed; nil: it does not.
	Until <-chan struct{}
	// Limit is what an answer should not take longer than; 0: none.
	Limit time.Duration
	// Beside is true where user traffic is sent from the same CPUs, those that are given, or any:
	// the sender then goes first there, and sleeps when it has nothing to send.
	Beside bool
	CPUs   []int
}

const defaultSettle = time.Second

// Offer sends. It ends early when no session is left for its one procedure: Seconds says how
// long it was. Each message is sent once; what is not answered is sent again after all is
// counted, so that the sessions' state is known.
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

// withoutGC keeps the collector from the offer, where it fits into memory.
func withoutGC(o Offer) func() {
	const each, most = 2048, 1 << 30
	if o.PerS*o.Duration.Seconds()*each > most {
		return func() {}
	}
	runtime.GC()
	before := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(before) }
}

// onThread runs do on a thread of its own, which goes before others of its CPU where that is
// wanted and allowed.
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

// send begins each procedure when it is due.
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

// UsesUp reports whether sessions go from one state to another and do not come back: before
// an offer is repeated they have to be brought back.
func UsesUp(mix []Share) bool {
	return len(mix) == 1 && kinds[mix[0].Procedure].from != kinds[mix[0].Procedure].to
}

// skip counts a procedure that no session was free for, as the UPF has not answered those
// under way.
func (l *Load) skip(out *Outcome) {
	l.mu.Lock()
	out.Sent++
	out.Unanswered++
	l.mu.Unlock()
}

// ended reports whether nothing more is to be sent.
func (o Offer) ended(ctx context.Context) bool {
	select {
	case <-o.Until:
		return true
	default:
		return ctx.Err() != nil
	}
}

// begin begins one of a mix, by weight. Where no session is in the state that it begins in,
// another one of the mix takes its turn.
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

// settle waits until nothing is under way.
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
