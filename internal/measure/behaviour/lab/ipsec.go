package lab

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/proto/esp"
	"github.com/upflab/upflab/internal/proto/gtpu"
)

// The SPIs of the tunnel on N3: the tester's packets, and the UPF's.
const spiOut, spiIn = 0x1001, 0x1002

// guard is the tester's end of an ESP tunnel: it seals what a port sends and opens what arrives there.
type guard struct {
	mu            sync.Mutex
	out, in       *esp.SA
	tamper        func([]byte) [][]byte
	bare          bool // what is sent is not sealed
	sealed, clear int
}

// seal gives the packets that carry an IP packet. IPv6 is not for the tunnel.
func (g *guard) seal(ip []byte) [][]byte {
	if ip[0]>>4 != 4 {
		return [][]byte{ip}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bare {
		return [][]byte{ip}
	}
	b := g.out.Seal(ip)
	if g.tamper != nil {
		return g.tamper(b)
	}
	return [][]byte{b}
}

// open gives the packet inside, or the one that was not protected.
func (g *guard) open(ip []byte) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	if inner, err := g.in.Open(ip); err == nil {
		g.sealed++
		return inner
	}
	if isGTPU(ip) {
		g.clear++
	}
	return ip
}

// isGTPU reports whether a packet is one of GTP-U over IPv4.
func isGTPU(ip []byte) bool {
	const udp = 17
	if len(ip) < 28 || ip[0] != 0x45 || ip[9] != udp {
		return false
	}
	return binary.BigEndian.Uint16(ip[20:]) == gtpu.Port || binary.BigEndian.Uint16(ip[22:]) == gtpu.Port
}

// protection is the tunnel on N3.
type protection struct {
	lab    *Lab
	guard  *guard
	tunnel netdev.Tunnel
}

// protect makes the tunnel at both ends, where the scenario asks for it. Its keys are those of this run of the UPF.
func (l *Lab) protect() error {
	if !l.Scenario.N3.IPsec.Asked() {
		return nil
	}
	var keys [2][esp.KeyLen]byte
	for i := range keys {
		rand.Read(keys[i][:]) // never fails
	}
	gnb, upf := l.net.GNB[0], l.net.UPF
	out, errOut := esp.New(spiOut, gnb, upf, keys[0][:])
	in, errIn := esp.New(spiIn, upf, gnb, keys[1][:])
	if err := errors.Join(errOut, errIn); err != nil {
		return err
	}
	l.ends.n3.guard.Store(nil) // that of a UPF before
	l.protection = &protection{lab: l, guard: &guard{out: out, in: in}, tunnel: netdev.Tunnel{Own: upf, Peer: gnb, Port: gtpu.Port,
		SPIIn: spiOut, SPIOut: spiIn, KeyIn: keys[0][:], KeyOut: keys[1][:]}}
	return l.protection.switchTo(true)
}

// switchTo takes the tunnel away or brings it back. Sequence numbers go on at the tester's end, and the kernel's begin anew.
func (p *protection) switchTo(on bool) error {
	if on == (p.lab.ends.n3.guard.Load() != nil) {
		return nil
	}
	if !on {
		p.lab.ends.n3.guard.Store(nil)
		return netdev.Unprotect(p.lab.Site().UPF())
	}
	if err := p.tunnel.Protect(p.lab.Site().UPF()); err != nil {
		return err
	}
	p.lab.ends.n3.guard.Store(p.guard)
	return nil
}

// capability is what cases do with the tunnel.
func (p *protection) capability() *behaviour.IPsec {
	if p == nil {
		return nil
	}
	return &behaviour.IPsec{
		Tamper: func(f func([]byte) [][]byte) {
			p.guard.mu.Lock()
			defer p.guard.mu.Unlock()
			p.guard.tamper = f
		},
		Bare: func(on bool) {
			p.guard.mu.Lock()
			defer p.guard.mu.Unlock()
			p.guard.bare = on
		},
		Seen: func() (sealed, clear int) {
			p.guard.mu.Lock()
			defer p.guard.mu.Unlock()
			return p.guard.sealed, p.guard.clear
		},
		Switch:  p.switchTo,
		Threads: p.threads,
		CPU:     p.cpu,
	}
}

// threads has threads of the kernel receive for the UPF, on the CPUs of the sink, or no longer.
func (p *protection) threads(on bool) error {
	l := p.lab
	if on {
		return l.PrepareReceive(site.Receive{NAPI: true, SinkNAPI: true, UPF: l.Placement.Receivers()})
	}
	links := l.Site().Links()
	l.Subject.NAPI = nil
	return errors.Join(links.UPFN3.NAPI().SetThreaded(false), links.UPFN6.NAPI().SetThreaded(false), l.receive())
}

// cpu is the UPF's CPU time, with that of the kernel's threads that receive for it.
func (p *protection) cpu() (time.Duration, error) {
	s, err := telemetry.Take(telemetry.Subject{PIDs: p.lab.Subject.PIDs, NAPI: p.lab.Subject.NAPI})
	return s.Process + s.NAPI, err
}
