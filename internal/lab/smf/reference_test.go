package smf

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/upf/datapath/memory"
	"github.com/upflab/upflab/upf/n4"
)

// reference runs the reference UPF's N4 over loopback, without a datapath that
// moves packets.
func reference(t testing.TB) (net.Addr, *memory.Datapath) {
	t.Helper()
	dp := memory.New(0)
	loopback := netip.MustParseAddr("127.0.0.1")
	server, err := n4.New(n4.Config{NodeID: "127.0.0.1", N4: loopback, N3: netip.MustParseAddr("10.10.3.2"), Datapath: dp})
	if err != nil {
		t.Fatal(err)
	}
	conn := listen(t)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { server.Serve(ctx, conn) })
	t.Cleanup(func() { cancel(); running.Wait(); conn.Close() })
	return conn.LocalAddr(), dp
}

func TestEveryDialectReachesTheReferenceUPF(t *testing.T) {
	for _, d := range dialects() {
		t.Run(d.Name, func(t *testing.T) {
			addr, dp := reference(t)
			lifecycle(t, dial(t, addr, d, patient), 100)
			if n := dp.Len(); n != 0 {
				t.Errorf("%d sessions are left in the datapath", n)
			}
		})
	}
}

// lifecycle associates, and establishes, moves and deletes sessions: first with
// F-TEIDs of ours, then with the UPF's where it gives any.
func lifecycle(t *testing.T, c *Client, n int) {
	t.Helper()
	a, err := c.Associate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sessions := manySessions(n)
	comeAndGo(t, c, sessions)
	for i := range sessions {
		sessions[i].UplinkTEID = 0
	}
	if a.Features.Has(FTUP) {
		comeAndGo(t, c, sessions)
	}
	if err := c.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func comeAndGo(t *testing.T, c *Client, sessions []Session) {
	t.Helper()
	e, err := c.Establish(t.Context(), sessions)
	if err != nil {
		t.Fatal(err)
	}
	e, err = c.Modify(t.Context(), e, func(e Established) Change {
		return Change{GNB: netip.MustParseAddr("10.10.3.9"), TEID: e.DownlinkTEID + 5000, EndMarker: true, Action: rules.Forward}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), e[:1]); err == nil || !strings.Contains(err.Error(), "cause 65") {
		t.Errorf("second deletion: %v", err)
	}
}

func BenchmarkEstablish10000Reference(b *testing.B) {
	addr, _ := reference(b)
	sessions := manySessions(10_000)
	for b.Loop() {
		b.StopTimer()
		c := dial(b, addr, Standard())
		if _, err := c.Associate(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := c.Establish(b.Context(), sessions); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(sessions)*b.N)/b.Elapsed().Seconds(), "sessions/s")
}

// TestReferenceOverIPv6: N4 over [::1], Node IDs and F-SEIDs of IPv6.
func TestReferenceOverIPv6(t *testing.T) {
	dp := memory.New(0)
	loopback := netip.IPv6Loopback()
	server, err := n4.New(n4.Config{NodeID: loopback.String(), N4: loopback, N3: netip.MustParseAddr("10.10.3.2"), Datapath: dp})
	if err != nil {
		t.Fatal(err)
	}
	at := func() net.PacketConn {
		conn, err := net.ListenUDP("udp6", &net.UDPAddr{IP: net.IPv6loopback})
		if err != nil {
			t.Skipf("no IPv6 here: %v", err)
		}
		return conn
	}
	conn := at()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { server.Serve(ctx, conn) })
	t.Cleanup(func() { cancel(); running.Wait(); conn.Close() })
	lifecycle(t, dial(t, conn.LocalAddr(), Dialect{Name: "ipv6"}, patient, func(c *Config) {
		c.Conn.Close()
		c.Conn, c.NodeID = at(), loopback
	}), 20)
	if n := dp.Len(); n != 0 {
		t.Errorf("%d sessions are left in the datapath", n)
	}
}
