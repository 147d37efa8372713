package lab

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/proto/arp"
	"github.com/upflab/upflab/internal/text/wait"
)

// resolution is what a port says and hears about who has which address.
type resolution struct {
	mu    sync.Mutex
	ours  []netip.Addr        // that the port answers for
	heard map[netip.Addr]bool // of others, who have answered
}

// speakFor has the port answer ARP for addresses that its kernel does not have.
func (p *port) speakFor(list ...netip.Addr) {
	p.arp.mu.Lock()
	defer p.arp.mu.Unlock()
	for _, a := range list {
		if a.IsValid() {
			p.arp.ours = append(p.arp.ours, a)
		}
	}
}

// resolve deals with an ARP frame that arrived.
func (p *port) resolve(frame []byte) {
	m, ok := arp.Parse(frame)
	if !ok {
		return
	}
	p.arp.mu.Lock()
	ours := slices.Contains(p.arp.ours, m.Target)
	if m.MAC != p.from {
		p.arp.heard[m.Sender] = true
	}
	p.arp.mu.Unlock()
	if ours && m.Operation == arp.Request {
		_ = p.write(arp.Frame(arp.Reply, p.from, m.MAC, m.Target, m.Sender)) // who asks repeats it
	}
}

// Times of a probe (RFC 5227 clause 1.1 takes longer, for links with many hosts).
const (
	probes    = 3
	probeWait = 60 * time.Millisecond
)

// has reports whether somebody on the link has an address, or may have it since nobody can be asked:
// by ARP probes, from no address, which change nobody's table.
func (p *port) has(a netip.Addr) bool {
	for range probes {
		if p.write(arp.Frame(arp.Request, p.from, arp.Broadcast, netip.IPv4Unspecified(), a)) != nil {
			return true
		}
		heard := func() bool {
			p.arp.mu.Lock()
			defer p.arp.mu.Unlock()
			return p.arp.heard[a]
		}
		if wait.Until(probeWait, time.Millisecond, heard) {
			return true
		}
	}
	return false
}
