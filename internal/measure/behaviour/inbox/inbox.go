// Package inbox keeps what arrives at the tester, by the number in the mark of each packet.
package inbox

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
)

// Arrival is a packet that arrived at N3 or N6.
type Arrival struct {
	packet.Received
	N3 bool
	// Pieces is in how many fragments the packet came, where it is one of a tunnel's on N3.
	Pieces int
}

// Inbox keeps what arrives, by the number of its mark.
type Inbox struct {
	Run  uint64
	pool netip.Prefix // of UEs

	mu      sync.Mutex
	parts   packet.Reassembly  // a gNB's
	pieces  map[netip.Addr]int // fragments so far of which no packet has become whole, by where they go
	marked  map[uint64][]Arrival
	others  []Arrival // GTP-U signalling, and what has no mark
	unasked Count     // without a mark at N3
	changed chan struct{}
}

// New makes an inbox for packets with the marks of a run, and UEs of a pool.
func New(run uint64, pool netip.Prefix) *Inbox {
	return &Inbox{Run: run, pool: pool, pieces: map[netip.Addr]int{}, marked: map[uint64][]Arrival{}, changed: make(chan struct{})}
}

// Listen takes what arrives at a port: on has a function called for each IP packet.
func (b *Inbox) Listen(on func(func(ip []byte)), n3 bool) {
	on(func(ip []byte) {
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
		r, ok := packet.Read(ip, b.Run)
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
			b.unasked.Add(len(ip))
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
func (b *Inbox) ofUE(ip []byte) bool {
	return len(ip) >= 20 && ip[0]>>4 == 4 && b.pool.Contains(netip.AddrFrom4([4]byte(ip[16:])))
}

// Of gives the arrivals of a packet.
func (b *Inbox) Of(number uint64) []Arrival {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.marked[number]
}

// Unmarked gives the arrivals without a mark that match.
func (b *Inbox) Unmarked(match func(*Arrival) bool) (list []Arrival) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.others {
		if match(&b.others[i]) {
			list = append(list, b.others[i])
		}
	}
	return list
}

// Any reports whether an arrival of a packet with a mark matches.
func (b *Inbox) Any(match func(*Arrival) bool) bool {
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

// Fragments is how many came to an address so far of which no packet has become whole.
func (b *Inbox) Fragments(to netip.Addr) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pieces[to]
}

// Clear forgets everything.
func (b *Inbox) Clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.marked, b.others = map[uint64][]Arrival{}, nil
}

// ForgetOthers forgets what has no mark.
func (b *Inbox) ForgetOthers() { b.TakeOthers() }

// TakeOthers gives what has no mark, and forgets it.
func (b *Inbox) TakeOthers() []Arrival {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.others
	b.others = nil
	return list
}

// Unasked counts the packets without a mark that arrived at N3, and their octets.
func (b *Inbox) Unasked() Count {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unasked
}

// Await waits until done is true, at most for a time.
func (b *Inbox) Await(ctx context.Context, within time.Duration, done func() bool) bool {
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

// Count is packets and octets.
type Count struct{ Packets, Octets uint64 }

// Add counts a packet.
func (c *Count) Add(octets int) {
	c.Packets++
	c.Octets += uint64(octets)
}

// Describe says where and how it arrived.
func (a *Arrival) Describe() string {
	if a.Tunnelled && a.N3 {
		text := fmt.Sprintf("N3 in tunnel %#x to %s", a.Header.TEID, a.To)
		if a.Header.HasContainer {
			text += fmt.Sprintf(" with QFI %d", a.Header.Container.QFI)
		}
		return text
	}
	switch {
	case a.N3 && a.Malformed != nil:
		return fmt.Sprintf("N3 in GTP-U that cannot be read, to %s", a.To)
	case a.N3:
		return fmt.Sprintf("N3 as plain IP to %s", a.To)
	}
	return fmt.Sprintf("N6 to %s", a.To)
}

// IsEndMarker reports whether it is an End Marker on N3.
func (a *Arrival) IsEndMarker() bool { return a.N3 && a.Tunnelled && a.Header.Type == gtpu.EndMarker }
