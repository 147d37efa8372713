package netdev

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	xdp "github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Features is what the driver of a device can do with XDP, as the kernel's netlink
// family netdev says (Linux 6.3, Documentation/netlink/specs/netdev.yaml).
type XDPFeatures struct {
	Acts       uint64 // Act bits
	RxMetadata uint64 // RxMetadata bits: what a program can ask of a received frame
	Socket     uint64 // Socket bits: what an AF_XDP socket can ask of a sent frame; Linux 6.8
}

// Bits of XDPFeatures.Acts: enum netdev_xdp_act.
const (
	ActBasic    = 1 << 0 // pass, drop, abort, send back
	ActRedirect = 1 << 1 // a frame that it received can be redirected
	ActXmit     = 1 << 2 // frames can be redirected to it; with some drivers only while a program is at it
	ActZeroCopy = 1 << 3 // AF_XDP sockets without copies
)

// Bits of XDPFeatures.RxMetadata: enum netdev_xdp_rx_metadata.
const RxTimestamp = 1 << 0 // when the NIC received it

// Bits of XDPFeatures.Socket: enum netdev_xsk_flags.
const TxTimestamp = 1 << 0 // when the NIC sent it

// ErrNoXDPFeatures: the kernel does not say; Linux 6.3 is the first that does.
var ErrNoXDPFeatures = errors.New("this kernel does not say what drivers do with XDP (Linux 6.3 does)")

// Commands and attributes of the family: enum netdev_cmd and netdev_a_dev.
const (
	cmdDevGet       = 1
	attrIfindex     = 1
	attrActs        = 3
	attrRxMetadata  = 5
	attrSocketFlags = 6
)

// XDP is what a port does with XDP programs.
type XDP struct{ of *Port }

// XDP is the port's.
func (p *Port) XDP() XDP { return XDP{p} }

// Features asks the kernel. It is ErrNoXDPFeatures where that does not know.
func (x XDP) Features() (f XDPFeatures, err error) {
	err = x.of.NS.Do(func() error {
		family, err := netlink.GenlFamilyGet("netdev")
		if errors.Is(err, unix.ENOENT) || errors.Is(err, fs.ErrNotExist) {
			return ErrNoXDPFeatures
		}
		if err != nil {
			return fmt.Errorf("find the netlink family netdev: %w", err)
		}
		request := nl.NewNetlinkRequest(int(family.ID), unix.NLM_F_ACK)
		request.AddRawData([]byte{cmdDevGet, 1, 0, 0}) // version 1; nl.Genlmsg leaves the last two, which have to be 0, as memory has them
		request.AddRawData(nl.NewRtAttr(attrIfindex, nl.Uint32Attr(uint32(x.of.Index))).Serialize())
		answers, err := request.Execute(unix.NETLINK_GENERIC, 0)
		if err != nil || len(answers) == 0 {
			return fmt.Errorf("ask what the driver of %s does with XDP: %w", x.of.Name, err)
		}
		f, err = decodeXDPFeatures(answers[0])
		return err
	})
	return f, err
}

// decodeXDPFeatures reads an answer: the generic header, then attributes.
func decodeXDPFeatures(b []byte) (f XDPFeatures, err error) {
	if len(b) < nl.SizeofGenlmsg {
		return f, fmt.Errorf("an answer of the family netdev of %d octets", len(b))
	}
	attributes, err := parseAttributes(b[nl.SizeofGenlmsg:])
	if err != nil {
		return f, fmt.Errorf("read an answer of the family netdev: %w", err)
	}
	for _, a := range attributes {
		to := map[uint16]*uint64{attrActs: &f.Acts, attrRxMetadata: &f.RxMetadata, attrSocketFlags: &f.Socket}[a.Attr.Type]
		if to != nil && len(a.Value) == 8 {
			*to = binary.NativeEndian.Uint64(a.Value)
		}
	}
	return f, nil
}

// parseAttributes contains the library's panic when the padding of the last attribute is missing.
func parseAttributes(b []byte) (list []syscall.NetlinkRouteAttr, err error) {
	defer func() {
		if recover() != nil {
			list, err = nil, errors.New("an attribute is cut off")
		}
	}()
	return nl.ParseRouteAttr(b)
}

// Redirects reports whether frames can be redirected to the port. Since some drivers say so
// only while a program is at it, one is attached for that moment. To a veth they can when its
// other end has NAPI, which runs see to.
func (x XDP) Redirects() (bool, XDPFeatures, error) {
	f, err := x.Features()
	if err != nil || f.Acts&ActXmit != 0 {
		return err == nil, f, err
	}
	if device, err := x.of.NS.nl.LinkByIndex(x.of.Index); err != nil || device.Type() == "veth" {
		return err == nil, f, err
	}
	program, err := passProgram()
	if err != nil {
		return false, f, err
	}
	defer program.Close()
	err = x.of.NS.Do(func() error {
		l, err := xdp.AttachXDP(xdp.XDPOptions{Program: program, Interface: x.of.Index, Flags: xdp.XDPDriverMode})
		if err != nil {
			return nil // without a program it has none: what it said holds
		}
		defer l.Close()
		f, err = x.Features()
		return err
	})
	return f.Acts&ActXmit != 0, f, err
}

// Native reports whether the driver of the port runs XDP programs. Of a veth that
// is known; a macvlan device has none, whatever its parent; a device of the host is
// tried.
func (x XDP) Native() bool {
	switch {
	case x.of.Lower != nil:
		return false
	case !x.of.Physical:
		return true
	}
	program, err := passProgram()
	if err != nil {
		return false
	}
	defer program.Close()
	err = x.of.NS.Do(func() error {
		l, err := xdp.AttachXDP(xdp.XDPOptions{Program: program, Interface: x.of.Index, Flags: xdp.XDPDriverMode})
		if err == nil {
			err = l.Close()
		}
		return err
	})
	return err == nil
}

// passProgram passes every frame on.
func passProgram() (*ebpf.Program, error) {
	return ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "upflab_try", Type: ebpf.XDP, License: "Apache-2.0",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 2), asm.Return()}, // XDP_PASS
	})
}

// Program is the id of the XDP program on the port; 0 when there is none, or the
// port is not readable.
func (x XDP) Program() (uint32, error) {
	if !x.of.Readable() {
		return 0, nil
	}
	link, err := x.of.NS.nl.LinkByIndex(x.of.Index)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", x.of.Name, err)
	}
	if at := link.Attrs().Xdp; at != nil && at.Attached {
		return at.ProgId, nil
	}
	return 0, nil
}

// PassAll puts an XDP program on a veth that passes each frame on. A veth receives what the XDP
// program at its other end sends back out (XDP_TX) only with a program of its own; GRO, which
// suffices for plain and redirected frames, does not. detach is nil for a device that is no veth:
// it receives whatever is on its wire.
func (x XDP) PassAll() (detach func() error, err error) {
	link, err := x.of.NS.nl.LinkByIndex(x.of.Index)
	if err != nil {
		return nil, fmt.Errorf("find %s in %s: %w", x.of.Name, x.of.NS.Name, err)
	}
	if link.Type() != "veth" {
		return nil, nil
	}
	program, err := passProgram()
	if err != nil {
		return nil, fmt.Errorf("load an XDP program for %s: %w", x.of.Name, err)
	}
	defer program.Close() // the attachment holds it
	return x.Attach(program)
}

// Attach puts a program into the driver of the port.
func (x XDP) Attach(program *ebpf.Program) (detach func() error, err error) {
	err = x.of.NS.Do(func() error {
		l, err := xdp.AttachXDP(xdp.XDPOptions{Program: program, Interface: x.of.Index, Flags: xdp.XDPDriverMode})
		if err != nil {
			return fmt.Errorf("attach an XDP program to %s: %w", x.of.Name, err)
		}
		detach = l.Close
		return nil
	})
	return detach, err
}

// Classify attaches a BPF classifier, by its file descriptor, to the ingress of the port
// in direct-action mode. detach takes it off; a device that is gone has taken it along.
func (p *Port) Classify(name string, fd int) (detach func() error, err error) {
	qdisc := &netlink.Clsact{QdiscAttrs: netlink.QdiscAttrs{
		LinkIndex: p.Index, Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT,
	}}
	if err := p.NS.nl.QdiscAdd(qdisc); err != nil {
		return nil, fmt.Errorf("add clsact to %s: %w (CONFIG_NET_SCH_INGRESS; `tc qdisc del dev %s clsact` frees it)", p.Name, err, p.Name)
	}
	detach = func() error {
		err := p.NS.nl.QdiscDel(qdisc)
		if err == nil || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOENT) {
			return nil
		}
		return fmt.Errorf("remove clsact from %s: %w", p.Name, err)
	}
	err = p.NS.nl.FilterAdd(&netlink.BpfFilter{
		FilterAttrs: netlink.FilterAttrs{
			LinkIndex: p.Index, Parent: netlink.HANDLE_MIN_INGRESS, Handle: 1, Protocol: unix.ETH_P_ALL, Priority: 1,
		},
		Fd: fd, Name: name, DirectAction: true,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("attach %s to the ingress of %s: %w (CONFIG_NET_CLS_BPF)", name, p.Name, err), detach())
	}
	return detach, nil
}
