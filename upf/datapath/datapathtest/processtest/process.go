// Package processtest runs what a UPF's process does around a datapath, for tests of the datapath.
package processtest

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/n3"
	"github.com/upflab/upflab/upf/slowpath"
)

// Start has what a UPF's process does with what a datapath leaves to it: the kernel sends it, and what the
// kernel has put together goes back.
func Start(t testing.TB, d datapath.Datapath) {
	t.Helper()
	can := d.Capabilities()
	sender, err := slowpath.Open()
	must(t, err)
	can.OnSlow(sender.Take)
	four, six := can.Signalling, can.Signalling6
	if four == nil {
		four, six = listenAt(t, "192.0.2.1"), listenAt(t, datapathtest.N3Address6.String())
	}
	known := map[uint32]bool{}
	for _, f := range datapathtest.SlowFrames(t) {
		for _, r := range f.Sessions() {
			for i := range r.PDRs {
				known[r.PDRs[i].PDI.TEID] = true
			}
		}
	}
	e := n3.New(four, n3.Config{
		Address: netip.MustParseAddr("192.0.2.1"), Conn6: six, Address6: datapathtest.N3Address6,
		KnownTEID: func(teid uint32) bool { return known[teid] }, Inject: can.Inject,
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go sender.Run(ctx)
	go func() { done <- e.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		must(t, <-done)
		must(t, sender.Close())
	})
}

func listenAt(t testing.TB, address string) net.PacketConn {
	t.Helper()
	at := net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), gtpu.Port))
	conn, err := net.ListenUDP("udp", at)
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
