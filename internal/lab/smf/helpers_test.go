package smf

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/fakeupf"
)

// listen binds the SMF's end to a free loopback port.
func listen(t testing.TB) net.PacketConn {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// dial runs a client against a peer with short timers.
func dial(t testing.TB, peer net.Addr, d Dialect, more ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{
		Conn: listen(t), Peer: peer, NodeID: netip.MustParseAddr("127.0.0.1"),
		NetworkInstance: "internet", T1: 50 * time.Millisecond, N1: 3, Dialect: d,
	}
	for _, f := range more {
		f(&cfg)
	}
	c, err := Dial(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// against runs a fake UPF and an associated client.
func against(t testing.TB, script fakeupf.Script, more ...func(*Config)) (*Client, *fakeupf.UPF) {
	t.Helper()
	u := fakeupf.Start(t, script)
	c := dial(t, u.Addr(), Standard(), more...)
	if _, err := c.Associate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, u
}

// manySessions numbers UEs from 10.45.0.2 and TEIDs from 1, 2.
func manySessions(n int) []Session {
	out := make([]Session, n)
	ue := netip.MustParseAddr("10.45.0.2")
	for i := range out {
		out[i] = Session{
			Index: i, UE: ue, UplinkTEID: uint32(2*i + 1), DownlinkTEID: uint32(2*i + 2),
			GNB: netip.MustParseAddr("10.10.3.1"), N3: netip.MustParseAddr("10.10.3.2"), QFI: 1,
		}
		ue = ue.Next()
	}
	return out
}

// unhurried waits for an answer as long as it takes: a request is never repeated.
func unhurried(c *Config) { c.T1 = 20 * time.Second }

// patient asks again for two seconds: an answer is late when the machine is busy.
func patient(c *Config) { c.N1 = 40 }
