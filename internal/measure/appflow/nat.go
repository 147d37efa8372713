package appflow

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// seenWithin is how long the question for a NAT may take.
const seenWithin = 2 * time.Second

// NAT says that the data network sees the first UE by another address; "": it does not, or
// the UE does not reach it, which the flows will tell.
func (e *Ends) NAT(ctx context.Context) string {
	if e.UE.Remote != nil || len(e.UEs) == 0 {
		return ""
	}
	seen, err := e.seen(ctx)
	if err != nil || seen == e.UEs[0] {
		return ""
	}
	return fmt.Sprintf("A NAT is in the way: the data network sees UE 1, %s, as %s. What the UE begins works; "+
		"what the data network sends first, "+
		"as the downlink of one-way latency, does not arrive. Switch it off at the UPF or at N6 (masquerade) to "+
		"measure without it.", e.UEs[0], seen)
}

// seen is the address that a connection of the first UE has in the data network.
func (e *Ends) seen(ctx context.Context) (netip.Addr, error) {
	at := netip.AddrPortFrom(e.Server, webPort)
	l, err := e.DN.Namespace.ListenTCP(at)
	if err != nil {
		return netip.Addr{}, err
	}
	defer l.Close()
	l.(*net.TCPListener).SetDeadline(time.Now().Add(seenWithin))
	ctx, cancel := context.WithTimeout(ctx, seenWithin)
	defer cancel()
	conn, err := e.dial(ctx, e.UEs[0], e.device(0), at)
	if err != nil {
		return netip.Addr{}, err
	}
	defer conn.Close()
	got, err := l.Accept()
	if err != nil {
		return netip.Addr{}, err
	}
	defer got.Close()
	return got.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap(), nil
}
