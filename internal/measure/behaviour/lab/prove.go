package lab

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
)

// proveWithin is how long a probe is repeated for: a busy machine may lose some.
const proveWithin = 3 * time.Second

// proof shows, before the UPF is started, that the tester's end of a link receives whatever a UPF
// can send there. A UPF that answers by a way that the tester cannot receive would look mute.
type proof struct {
	name        string // "N3"
	port        *port
	tester, upf *netdev.Port
	other       *netdev.Port // the UPF's port of the other link, from which frames are redirected to this one
	feed        *port        // the tester's end of the other link
}

// prove proves both links, and that what the UPF's kernel sends to the addresses of gNBs and hosts
// arrives.
func (e *ends) prove(net *behaviour.Net, peer6 netip.Addr) error {
	if !e.site.OwnsUPF() {
		return nil // nothing can be sent from there: the bench proves it by packets through the UPF
	}
	links := e.site.Links()
	n3 := proof{"N3", &e.n3, &links.GNB, &links.UPFN3, &links.UPFN6, &e.n6}
	n6 := proof{"N6", &e.n6, &links.DNN6, &links.UPFN6, &links.UPFN3, &e.n3}
	for _, x := range []struct {
		proof
		to []netip.Addr
	}{{n3, net.GNB[:]}, {n6, append(net.DN[:], peer6)}} {
		err := x.plain(x.to)
		if err == nil {
			err = x.xdp()
		}
		if err != nil {
			return fmt.Errorf("the bench cannot receive all that a UPF may send, so no case is run and nothing is held against the UPF: %w", err)
		}
	}
	return nil
}

// plain sends datagrams from the UPF's kernel to each address: there is a route, a neighbour, and a
// tester's end that receives.
func (p *proof) plain(to []netip.Addr) error {
	for _, addr := range to {
		if !addr.IsValid() {
			continue
		}
		if err := p.datagram(addr); err != nil {
			return err
		}
	}
	return nil
}

func (p *proof) datagram(to netip.Addr) error {
	from := p.upf.Addr
	if to.Is6() {
		from = p.upf.Addr6
	}
	conn, err := p.upf.NS.ListenUDP(netip.AddrPortFrom(from, 0))
	if err != nil {
		return err
	}
	defer conn.Close()
	m := newMark()
	at := net.UDPAddrFromAddrPort(netip.AddrPortFrom(to, gtpu.Port))
	payload := append(binary.BigEndian.AppendUint64(nil, m.Run), binary.BigEndian.AppendUint64(nil, m.Number)...)
	if !p.arrives(m, func() error { _, err := conn.WriteTo(payload, at); return err }) {
		return fmt.Errorf("%s: a datagram from %s to %s does not arrive at %s", p.name, from, to, p.tester.Name)
	}
	return nil
}

// xdp has a program at the UPF's port send frames back, by XDP_TX and by a redirect, and one at the
// UPF's other port redirect frames here. Where no program can be in the driver of the port, no
// UPF's can.
func (p *proof) xdp() error {
	if p.upf.Physical || !p.upf.XDP().Native() {
		return nil
	}
	for _, x := range []struct {
		how     string
		at      *netdev.Port // where the program is
		from    *port        // where the probe is sent
		actions asm.Instructions
	}{
		{"sends back by XDP_TX", p.upf, p.port, asm.Instructions{asm.Mov.Imm(asm.R0, 3)}},
		{"redirects to the port that they came in by", p.upf, p.port, redirect(p.upf.Index)},
		{"redirects from its other port", p.other, p.feed, redirect(p.upf.Index)},
	} {
		program, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: "upflab_reflect", Type: ebpf.XDP,
			License: "Apache-2.0", Instructions: reflector(x.actions)})
		if err != nil {
			return fmt.Errorf("%s: load the program that sends back: %w", p.name, err)
		}
		detach, err := x.at.XDP().Attach(program)
		if err = errors.Join(err, program.Close()); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		m := newMark()
		probe := packet.Inner{From: p.tester.Addr, To: p.upf.Addr, Protocol: packet.UDP, FromPort: gtpu.Port,
			ToPort: gtpu.Port, TTL: 64, Length: packet.DefaultLength}.Bytes(m)
		arrived := p.arrives(m, func() error { return x.from.Send(probe) })
		if err := detach(); err != nil {
			return err
		}
		if !arrived {
			return fmt.Errorf("%s: frames that an XDP program at %s %s do not arrive at %s", p.name, x.at.Name, x.how, p.tester.Name)
		}
	}
	return nil
}

// arrives repeats a probe until it is received at the port.
func (p *proof) arrives(m packet.Mark, send func() error) bool {
	arrived := make(chan struct{}, 1)
	probed := func(ip []byte) {
		if r, ok := packet.Read(ip, m.Run); ok && r.Marked {
			select {
			case arrived <- struct{}{}:
			default:
			}
		}
	}
	before := p.port.taker.Swap(&probed)
	defer p.port.taker.Store(before)
	for end := time.Now().Add(proveWithin); time.Now().Before(end); {
		_ = send() // a probe that cannot be sent does not arrive
		select {
		case <-arrived:
			return true
		case <-time.After(50 * time.Millisecond):
		}
	}
	return false
}

// newMark is one that nothing else has.
func newMark() packet.Mark {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return packet.Mark{Run: binary.BigEndian.Uint64(b[:]), Number: 1}
}

// reflector exchanges the MAC addresses of a frame and ends with actions.
func reflector(actions asm.Instructions) asm.Instructions {
	const data, end = asm.R2, asm.R3
	list := asm.Instructions{
		asm.LoadMem(data, asm.R1, 0, asm.Word),
		asm.LoadMem(end, asm.R1, 4, asm.Word),
		asm.Mov.Reg(asm.R4, data),
		asm.Add.Imm(asm.R4, etherLen),
		asm.JGT.Reg(asm.R4, end, "pass"),
	}
	for _, half := range []int16{0, 2, 4} { // octets of the addresses
		list = append(list,
			asm.LoadMem(asm.R4, data, half, asm.Half), asm.LoadMem(asm.R5, data, 6+half, asm.Half),
			asm.StoreMem(data, half, asm.R5, asm.Half), asm.StoreMem(data, 6+half, asm.R4, asm.Half))
	}
	list = append(append(list, actions...), asm.Return())
	return append(list, asm.Mov.Imm(asm.R0, 2).WithSymbol("pass"), asm.Return())
}

// redirect sends the frame out of a port.
func redirect(index int) asm.Instructions {
	return asm.Instructions{asm.Mov.Imm(asm.R1, int32(index)), asm.Mov.Imm(asm.R2, 0), asm.FnRedirect.Call()}
}
