package attack

import (
	"encoding/binary"
	"sync"
	"sync/atomic"

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

// delete asks for the deletion of the sessions that inputs made.
func (a *answers) delete(p *n4.Peer, but uint64) (n int, err error) {
	a.mu.Lock()
	list := a.seids
	a.seids = nil
	a.mu.Unlock()
	for _, seid := range list {
		if seid == but {
			continue
		}
		if err := p.Send(p.Delete(seid)); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
