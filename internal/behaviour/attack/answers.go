package attack

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/behaviour/n4"
	"github.com/upflab/upflab/pfcp"
)

// answers is what a UPF answered to inputs, and the sessions that it made of them.
type answers struct {
	count    atomic.Uint64
	accepted atomic.Uint64 // establishments

	mu     sync.Mutex
	closed bool
	seids  []uint64 // of sessions that are to be deleted
}

// take is n4.Peer.Watch's.
func (a *answers) take(b []byte) {
	a.count.Add(1)
	h, ies, _, err := pfcp.Parse(b)
	if err != nil || h.Type != pfcp.SessionEstablishmentResponse {
		return
	}
	var seid uint64
	accepted := false
	for _, e := range elements(ies) {
		switch {
		case e.typ == ie.Cause && len(e.value) == 1:
			accepted = e.value[0] == ie.CauseRequestAccepted
		case e.typ == ie.FSEID && len(e.value) >= 9:
			seid = binary.BigEndian.Uint64(e.value[1:])
		}
	}
	if !accepted || seid == 0 {
		return
	}
	a.accepted.Add(1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		a.seids = append(a.seids, seid)
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
