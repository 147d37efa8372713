package lab

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/socket/threads"
)

// ARP (RFC 826) in an Ethernet frame.
const (
	etherARP   = 0x0806
	arpLen     = etherLen + 28
	arpRequest = 1
	arpReply   = 2
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
	if len(frame) < arpLen {
		return
	}
	sender, target := netip.AddrFrom4([4]byte(frame[28:])), netip.AddrFrom4([4]byte(frame[38:]))
	p.arp.mu.Lock()
	ours := slices.Contains(p.arp.ours, target)
	if [6]byte(frame[22:]) != p.from {
		p.arp.heard[sender] = true
	}
	p.arp.mu.Unlock()
	if ours && binary.BigEndian.Uint16(frame[20:]) == arpRequest {
		_ = p.write(arpFrame(arpReply, p.from, [6]byte(frame[22:]), target, sender)) // who asks repeats it
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
		if p.write(arpFrame(arpRequest, p.from, [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, netip.IPv4Unspecified(), a)) != nil {
			return true
		}
		heard := func() bool {
			p.arp.mu.Lock()
			defer p.arp.mu.Unlock()
			return p.arp.heard[a]
		}
		if threads.Await(probeWait, time.Millisecond, heard) {
			return true
		}
	}
	return false
}

// arpFrame is a message of ARP for IPv4 over Ethernet.
func arpFrame(operation uint16, from, to [6]byte, sender, target netip.Addr) []byte {
	b := append(append([]byte(nil), to[:]...), from[:]...)
	b = append(b, 0x08, 0x06, 0, 1, 0x08, 0, 6, 4)
	b = binary.BigEndian.AppendUint16(b, operation)
	b = append(append(b, from[:]...), sender.AsSlice()...)
	if operation == arpRequest {
		to = [6]byte{}
	}
	return append(append(b, to[:]...), target.AsSlice()...)
}

// taken asks the links for addresses, where they are not upflab's own.
func (l *Lab) taken() func(point string, a netip.Addr) bool {
	if l.site.OwnsUPF() {
		return nil
	}
	return func(point string, a netip.Addr) bool {
		if point == "n3" {
			return l.n3.has(a)
		}
		return l.n6.has(a)
	}
}
