package hub

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/fleet"
)

// chunk keeps a part of a result.
func (f *front) chunk(ctx context.Context, s *served, q fleet.ChunkAsked, octets []byte) error {
	agent := s.name()
	if err := f.about(ctx, agent, q.Ticket); err != nil {
		return err
	}
	if err := f.store.roomFor(ctx, agent, len(octets)); err != nil {
		return err
	}
	return f.conn.PutChunk(ctx, agent, q, octets)
}

// stored makes the parts a result.
func (f *front) stored(ctx context.Context, s *served, q fleet.StoredAsked) error {
	agent := s.name()
	if err := f.about(ctx, agent, q.Ticket); err != nil {
		return err
	}
	if err := f.store.room(ctx); err != nil {
		return err
	}
	return f.conn.PutInfo(ctx, agent, q.Ticket.Job, q)
}

// stock is the hub's room for messages, of which some is kept for the operator: however much
// agents hand in, jobs can be queued and taken off.
type stock struct {
	conn  *fleet.Conn
	limit int64 // octets; 0: the account's at the NATS server

	mu  sync.Mutex
	all share
	of  map[string]share // by agent
}

// share is what messages take: as the server said, and what was added since.
type share struct {
	looked time.Time
	octets uint64
}

const (
	// lookAgain is how long a look at the store is good for.
	lookAgain = time.Second
	// agentsMay is the part of the store that all agents together may fill, and oneMay the part
	// of one, percent; and no more than oneMost octets.
	agentsMay, oneMay = 90, 50
	oneMost           = 8 << 30
)

// room refuses what agents write while the store is nearly full.
func (s *stock) room(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.all.looked) > lookAgain {
		info, err := s.conn.JS.AccountInfo(ctx)
		if err != nil {
			return err
		}
		s.all = share{time.Now(), info.Store}
		if s.limit <= 0 {
			s.limit = info.Limits.MaxStore
		}
	}
	if s.limit > 0 && s.all.octets > uint64(s.limit)/100*agentsMay {
		return fmt.Errorf("the hub has no room: %d of %d MB are in use; collect results, or give it more "+
			"(--max-store)", s.all.octets>>20, s.limit>>20)
	}
	return nil
}

// roomFor is room for octets of an agent's results, and refuses one whose results take more
// than its part.
func (s *stock) roomFor(ctx context.Context, agent string, octets int) error {
	if err := s.room(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.of[agent]
	if time.Since(now.looked) > lookAgain {
		kept, err := s.conn.KeptOf(ctx, agent)
		if err != nil {
			return err
		}
		now = share{time.Now(), kept}
	}
	most := uint64(oneMost)
	if s.limit > 0 {
		most = min(most, uint64(s.limit)/100*oneMay)
	}
	if now.octets > most {
		return fmt.Errorf("the hub keeps %d MB of results of agent %s, and no more than %d MB of one agent: "+
			"collect them", now.octets>>20, agent, most>>20)
	}
	now.octets += uint64(octets)
	s.all.octets += uint64(octets)
	if s.of == nil {
		s.of = map[string]share{}
	}
	s.of[agent] = now
	return nil
}
