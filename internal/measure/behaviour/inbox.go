package behaviour

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// Arrival is a packet that arrived at N3 or N6.
type Arrival struct {
	packet.Received
	N3 bool
	// Pieces is in how many fragments the packet came, where it is one of a tunnel's on N3.
	Pieces int
}

// inbox keeps what arrives, by the number of its mark.
type inbox struct {
	run  uint64
	pool netip.Prefix // of UEs

	mu      sync.Mutex
	parts   packet.Reassembly  // a gNB's
	pieces  map[netip.Addr]int // fragments so far of which no packet has become whole, by where they go
	marked  map[uint64][]Arrival
	others  []Arrival // GTP-U signalling, and what has no mark
	unasked Count     // without a mark at N3
	changed chan struct{}
}

func newInbox(run uint64, pool netip.Prefix) *inbox {
	return &inbox{run: run, pool: pool, pieces: map[netip.Addr]int{}, marked: map[uint64][]Arrival{}, changed: make(chan struct{})}
}

// listen takes what arrives at a port.
func (b *inbox) listen(p Port, n3 bool) {
	p.On(func(ip []byte) {
		b.mu.Lock()
		defer b.mu.Unlock()
		pieces := 1
		if n3 && !b.ofUE(ip) {
			part := ip
			if ip, pieces = b.parts.Add(part); ip == nil {
				b.pieces[destination(part)]++
				return
			}
			if pieces > 1 {
				to := destination(ip)
				b.pieces[to] = max(0, b.pieces[to]-(pieces-1))
			}
		}
		r, ok := packet.Read(ip, b.run)
		if !ok {
			return
		}
		if n3 {
			r.ReadMisdirected()
		}
		if !r.Marked && r.To.Is6() && r.To.IsMulticast() {
			return // the kernel's own
		}
		if !r.Marked && n3 {
			b.unasked.add(len(ip))
		}
		if r.Marked {
			b.marked[r.Mark.Number] = append(b.marked[r.Mark.Number], Arrival{r, n3, pieces})
		} else if len(b.others) < 10_000 {
			b.others = append(b.others, Arrival{r, n3, pieces})
		}
		close(b.changed)
		b.changed = make(chan struct{})
	})
}

// ofUE reports whether a packet goes to a UE: on N3 one that left without its tunnel, whose fragments stay what they are.
func (b *inbox) ofUE(ip []byte) bool {
	return len(ip) >= 20 && ip[0]>>4 == 4 && b.pool.Contains(netip.AddrFrom4([4]byte(ip[16:])))
}

// of gives the arrivals of a packet.
func (b *inbox) of(number uint64) []Arrival {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.marked[number]
}

// unmarked gives the arrivals without a mark that match.
func (b *inbox) unmarked(match func(*Arrival) bool) (list []Arrival) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.others {
		if match(&b.others[i]) {
			list = append(list, b.others[i])
		}
	}
	return list
}

// any reports whether an arrival of a packet with a mark matches.
func (b *inbox) any(match func(*Arrival) bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, list := range b.marked {
		for i := range list {
			if match(&list[i]) {
				return true
			}
		}
	}
	return false
}

// destination is where a fragment of IPv4 goes.
func destination(ip []byte) netip.Addr { return netip.AddrFrom4([4]byte(ip[16:])) }

// fragments is how many came to an address so far of which no packet has become whole.
func (b *inbox) fragments(to netip.Addr) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pieces[to]
}

// clear forgets everything.
func (b *inbox) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.marked, b.others = map[uint64][]Arrival{}, nil
}

// forgetOthers forgets what has no mark.
func (b *inbox) forgetOthers() { b.takeOthers() }

// takeOthers gives what has no mark, and forgets it.
func (b *inbox) takeOthers() []Arrival {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.others
	b.others = nil
	return list
}

// await waits until done is true, at most for a time.
func (b *inbox) await(ctx context.Context, within time.Duration, done func() bool) bool {
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	for {
		b.mu.Lock()
		more := b.changed
		b.mu.Unlock()
		if done() {
			return true
		}
		select {
		case <-more:
		case <-deadline.C:
			return done()
		case <-ctx.Done():
			return false
		}
	}
}
