package attack

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// answers is what a UPF answered to inputs, and the sessions that it made of them.
type answers struct {
	count    atomic.Uint64
	accepted atomic.Uint64 // establishments

	mu     sync.Mutex
	closed bool
	seids  []uint64 // of sessions that are to be deleted
}

// take counts an answer for which nobody waits. It is called by n4.Peer.Watch.
func (a *answers) take(h pfcp.Header, ies []byte) {
	a.count.Add(1)
	if h.Type != pfcp.SessionEstablishmentResponse {
		return
	}
	var m smf.Message
	_ = m.Read(h, ies, smf.Tolerant)
	if !m.Accepted() || m.SEID == 0 {
		return
	}
	a.accepted.Add(1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		a.seids = append(a.seids, m.SEID)
	}
}

func (a *answers) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed, a.seids = true, nil
}

// deletedAtOnce is how many deletions may be unanswered at a time.
const deletedAtOnce = 16

// delete has the sessions deleted that inputs made, as far as the UPF answers: what it
// keeps then is its own.
func (a *answers) delete(ctx context.Context, p *n4.Peer) {
	a.mu.Lock()
	list := a.seids
	a.seids = nil
	a.mu.Unlock()
	work := make(chan uint64)
	var silent atomic.Int32
	var asking sync.WaitGroup
	for range min(deletedAtOnce, len(list)) {
		asking.Go(func() {
			for seid := range work {
				if silent.Load() > deletedAtOnce { // it answers nothing: whether it lives is asked elsewhere
					continue
				}
				if _, err := p.Ask(ctx, p.Delete(seid), n4.Patience{T1: 300 * time.Millisecond, Tries: 3}); err != nil {
					silent.Add(1)
				}
			}
		})
	}
	for _, seid := range list {
		work <- seid
	}
	close(work)
	asking.Wait()
}
