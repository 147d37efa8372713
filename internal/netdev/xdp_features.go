package netdev

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// XDPFeatures is what the driver of a device can do with XDP, as the kernel's netlink
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

// XDPFeatures asks the kernel. It is ErrNoXDPFeatures where that does not know.
func (p *Port) XDPFeatures() (f XDPFeatures, err error) {
	err = p.NS.Do(func() error {
		family, err := netlink.GenlFamilyGet("netdev")
		if errors.Is(err, unix.ENOENT) || errors.Is(err, fs.ErrNotExist) {
			return ErrNoXDPFeatures
		}
		if err != nil {
			return fmt.Errorf("find the netlink family netdev: %w", err)
		}
		request := nl.NewNetlinkRequest(int(family.ID), unix.NLM_F_ACK)
		request.AddRawData([]byte{cmdDevGet, 1, 0, 0}) // version 1; nl.Genlmsg leaves the last two, which have to be 0, as memory has them
		request.AddRawData(nl.NewRtAttr(attrIfindex, nl.Uint32Attr(uint32(p.Index))).Serialize())
		answers, err := request.Execute(unix.NETLINK_GENERIC, 0)
		if err != nil || len(answers) == 0 {
			return fmt.Errorf("ask what the driver of %s does with XDP: %w", p.Name, err)
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
func (p *Port) Redirects() (bool, XDPFeatures, error) {
	f, err := p.XDPFeatures()
	if err != nil || f.Acts&ActXmit != 0 {
		return err == nil, f, err
	}
	if device, err := p.NS.nl.LinkByIndex(p.Index); err != nil || device.Type() == "veth" {
		return err == nil, f, err
	}
	program, err := passProgram()
	if err != nil {
		return false, f, err
	}
	defer program.Close()
	err = p.NS.Do(func() error {
		l, err := link.AttachXDP(link.XDPOptions{Program: program, Interface: p.Index, Flags: link.XDPDriverMode})
		if err != nil {
			return nil // without a program it has none: what it said holds
		}
		defer l.Close()
		f, err = p.XDPFeatures()
		return err
	})
	return f.Acts&ActXmit != 0, f, err
}
