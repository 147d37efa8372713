package xdp

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/arp"
	"github.com/upflab/upflab/internal/socket/tpacket"
)

// ErrUnreached: what is redirected to a port does not come out at the other end of its link.
var ErrUnreached = errors.New("frames that XDP redirects to it do not arrive")

// Reaches proves that the engine's frames come through a port to who has an address behind it,
// which may be in a namespace or on a machine that cannot be seen from here: it asks for the MAC
// address by ARP, first by a packet socket and then by a live frame. It is ErrUnreached when only
// the first is answered. Where nobody answers either, nothing is known, and it is nil.
//
// The kernel drops what is redirected to a veth whose other end has neither an XDP program nor
// GRO, and counts it nowhere.
func Reaches(port netdev.Port, who netip.Addr) error {
	if !who.Is4() {
		return nil // there is no ARP
	}
	return port.NS.Do(func() error {
		socket, err := tpacket.Open(tpacket.Config{Interface: port.Name, Ethertype: unix.ETH_P_ARP, Frames: 256})
		if err != nil {
			return err
		}
		defer socket.Close()
		ask := arp.Frame(arp.Request, [6]byte(port.MAC), arp.Broadcast, port.Addr, who)
		answered, _ := answers(socket, who, func() error {
			_, _ = socket.Send([][]byte{ask}) // where the link is down nobody answers
			return nil
		})
		if !answered {
			return nil
		}
		program, err := redirect(port.Index)
		if err != nil {
			return err
		}
		defer program.Close()
		answered, err = answers(socket, who, func() error { return sendLive(program, ask) })
		if err == nil && !answered {
			return fmt.Errorf("%s: %w at %s, which answers what packet sockets send there", port.Name, ErrUnreached, who)
		}
		return err
	})
}

const (
	// asked is how often an address is asked for; each time is waited for askedFor.
	asked    = 5
	askedFor = 400 * time.Millisecond
	// late is how long answers to what was asked before are waited for.
	late = 50 * time.Millisecond
)

// answers asks for an address until it is answered.
func answers(socket *tpacket.Port, who netip.Addr, ask func() error) (bool, error) {
	for heard(socket, who, late) {
	}
	for range asked {
		if err := ask(); err != nil {
			return false, err
		}
		if heard(socket, who, askedFor) {
			return true, nil
		}
	}
	return false, nil
}

// heard waits for an answer.
func heard(socket *tpacket.Port, who netip.Addr, within time.Duration) bool {
	for end := time.Now().Add(within); ; {
		for frame := socket.Next(); frame != nil; frame = socket.Next() {
			m, ok := arp.Parse(frame)
			socket.Release()
			if ok && m.Operation == arp.Reply && m.Sender == who {
				return true
			}
		}
		left := time.Until(end)
		if left <= 0 || tpacket.Wait(max(left, time.Millisecond), socket) != nil {
			return false
		}
	}
}

// redirect is a program that redirects each frame to a device.
func redirect(index int) (*ebpf.Program, error) {
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "upflab_reach", Type: ebpf.XDP, License: "Dual BSD/GPL",
		Instructions: asm.Instructions{
			asm.Mov.Imm(asm.R1, int32(index)), asm.Mov.Imm(asm.R2, 0), asm.FnRedirect.Call(), asm.Return(),
		},
	})
	if err != nil {
		return nil, loadError("XDP program that redirects", err)
	}
	return p, nil
}

// sendLive runs a program on one live frame.
func sendLive(p *ebpf.Program, frame []byte) error {
	_, err := p.Run(&ebpf.RunOptions{Data: frame, Repeat: 1, BatchSize: 1, Flags: unix.BPF_F_TEST_XDP_LIVE_FRAMES})
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("run an XDP live frame: %w (Linux 5.18 or later is needed)", err)
	}
	if err != nil {
		return fmt.Errorf("run an XDP live frame: %w", err)
	}
	return nil
}
