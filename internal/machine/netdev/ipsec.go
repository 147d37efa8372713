package netdev

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// Tunnel is an ESP tunnel with AES-GCM and static keys between a namespace and a peer, for datagrams of a UDP port.
type Tunnel struct {
	Own, Peer     netip.Addr
	Port          int    // of datagrams that have to be in the tunnel, in and out
	SPIIn, SPIOut int    // of what comes in and goes out
	KeyIn, KeyOut []byte // with the salt of four octets at the end

}

// replayWindow is that of SAs, packets.
const replayWindow = 32

// Protect makes the kernel of the namespace take the datagrams by the tunnel alone, and send them by it.
func (t Tunnel) Protect(n *Namespace) error {
	nl, err := xfrm(n)
	if err != nil {
		return err
	}
	defer nl.Close()
	for _, s := range []*netlink.XfrmState{state(t.Peer, t.Own, t.SPIIn, t.KeyIn), state(t.Own, t.Peer, t.SPIOut, t.KeyOut)} {
		if err := nl.XfrmStateAdd(s); err != nil {
			return noESP(err)
		}
	}
	for _, p := range t.policies() {
		if err := nl.XfrmPolicyAdd(p); err != nil {
			return fmt.Errorf("set an IPsec policy for the UPF: %w", err)
		}
	}
	return nil
}

// Unprotect takes all tunnels of a namespace away.
func Unprotect(n *Namespace) error {
	nl, err := xfrm(n)
	if err != nil {
		return err
	}
	defer nl.Close()
	return errors.Join(nl.XfrmPolicyFlush(), nl.XfrmStateFlush(netlink.XFRM_PROTO_ESP))
}

func xfrm(n *Namespace) (*netlink.Handle, error) {
	nl, err := netlink.NewHandleAt(n.ns, unix.NETLINK_XFRM)
	if err != nil {
		return nil, noESP(err)
	}
	return nl, nil
}

// CanProtect is an error where this kernel has no ESP with AES-GCM. Without the right to find out, it is nil.
func CanProtect() error {
	found := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends, and its namespace with it
		if unix.Unshare(unix.CLONE_NEWNET) != nil {
			found <- nil
			return
		}
		nl, err := netlink.NewHandle(unix.NETLINK_XFRM)
		if err == nil {
			defer nl.Close()
			at := netip.AddrFrom4([4]byte{192, 0, 2, 1})
			err = nl.XfrmStateAdd(state(at, at.Next(), 0x100, make([]byte, 20)))
		}
		if err != nil {
			err = noESP(err)
		}
		found <- err
	}()
	return <-found
}

func noESP(err error) error {
	return fmt.Errorf("this kernel has no IPsec with ESP and AES-GCM: %w; load the modules (modprobe esp4 xfrm_user gcm) or use a kernel with "+
		"CONFIG_XFRM_USER, CONFIG_INET_ESP and CONFIG_CRYPTO_GCM, for example by --site vm; or set n3.ipsec to none", err)
}

func state(from, to netip.Addr, spi int, key []byte) *netlink.XfrmState {
	return &netlink.XfrmState{Src: from.AsSlice(), Dst: to.AsSlice(), Proto: netlink.XFRM_PROTO_ESP, Mode: netlink.XFRM_MODE_TUNNEL,
		Spi: spi, Reqid: 1, ReplayWindow: replayWindow, Aead: &netlink.XfrmStateAlgo{Name: "rfc4106(gcm(aes))", Key: key, ICVLen: 128}}
}

// policies are those for the port: what comes to it, what goes to it, and what is answered from it.
func (t Tunnel) policies() []*netlink.XfrmPolicy {
	own := &net.IPNet{IP: t.Own.AsSlice(), Mask: net.CIDRMask(32, 32)}
	all := &net.IPNet{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}
	by := func(from, to netip.Addr) []netlink.XfrmPolicyTmpl {
		return []netlink.XfrmPolicyTmpl{{Src: from.AsSlice(), Dst: to.AsSlice(), Proto: netlink.XFRM_PROTO_ESP, Mode: netlink.XFRM_MODE_TUNNEL, Reqid: 1}}
	}
	in, out := by(t.Peer, t.Own), by(t.Own, t.Peer)
	return []*netlink.XfrmPolicy{
		{Src: all, Dst: own, Proto: unix.IPPROTO_UDP, DstPort: t.Port, Dir: netlink.XFRM_DIR_IN, Tmpls: in},
		{Src: own, Dst: all, Proto: unix.IPPROTO_UDP, DstPort: t.Port, Dir: netlink.XFRM_DIR_OUT, Tmpls: out},
		{Src: own, Dst: all, Proto: unix.IPPROTO_UDP, SrcPort: t.Port, Dir: netlink.XFRM_DIR_OUT, Tmpls: out},
	}
}
