package smf

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"
)

// Config says whom to speak to, and how. Conn, Peer, NodeID and Dialect are
// needed; the rest has the defaults given.
type Config struct {
	// Conn is bound to the SMF's address, port 8805, where UPFs send their
	// requests. The client owns it from Dial on.
	Conn net.PacketConn
	// CPUs, when given, are those on which a separate thread reads Conn, which then is a *net.UDPConn. The
	// thread has priority, because user traffic may be sent from there, too.
	CPUs []int
	// Peer is the UPF's address, port 8805.
	Peer net.Addr
	// NodeID is the SMF's address, in its Node ID and its F-SEIDs.
	NodeID netip.Addr
	// NetworkInstance is the name in every PDR and FAR, e.g. "internet", unless the dialect omits it. Empty
	// sends none.
	NetworkInstance string
	// T1 is the time from one transmission of a request to the next, and N1 how often it is sent in all (TS
	// 29.244 clause 6.4). The defaults are 500 ms and 5.
	T1 time.Duration
	N1 int
	// Heartbeat is the time between heartbeats to the UPF; 0 sends none, unless
	// the dialect needs them.
	Heartbeat time.Duration
	// Window is how many requests wait for their answers at once; the default is 64.
	Window  int
	Dialect Dialect
	// Observe hands every response to whoever sent the request with its sequence number, whatever its type
	// (another one than the request's is an error of Exchange) and its sender, and accepts every request of
	// the UPF: behaviour cases judge by themselves. Without it a response of another type, or from another
	// address, is no answer, and is a finding.
	Observe bool
	Log     *slog.Logger // nil logs nothing
}

const (
	defaultT1     = 500 * time.Millisecond
	defaultN1     = 5
	defaultWindow = 64
)

// complete gives the configuration its defaults, or says what is wrong.
func (c Config) complete() (Config, error) {
	if err := c.check(); err != nil {
		return c, fmt.Errorf("PFCP client: %w", err)
	}
	c.NodeID = c.NodeID.Unmap()
	c.T1 = orDefault(c.T1, defaultT1)
	c.N1 = orDefault(c.N1, defaultN1)
	c.Window = orDefault(c.Window, defaultWindow)
	if need := c.Dialect.HeartbeatEvery; need > 0 && (c.Heartbeat == 0 || c.Heartbeat > need) {
		c.Heartbeat = need
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

func (c Config) check() error {
	switch {
	case c.Conn == nil:
		return errors.New("no connection: bind UDP port 8805 of the SMF's address and pass it as Conn")
	case c.Peer == nil:
		return errors.New("no peer: pass the UPF's address and port 8805 as Peer")
	case !c.NodeID.IsValid() || c.NodeID.IsUnspecified():
		return fmt.Errorf("node ID %q is not an address that the UPF could answer to", c.NodeID)
	case c.Dialect.Name == "":
		return errors.New("no dialect: start from Standard() or Lookup(name)")
	case c.T1 < 0 || c.N1 < 0 || c.Window < 0 || c.Heartbeat < 0:
		return errors.New("T1, N1, Window and Heartbeat must not be negative")
	}
	return checkInstance(c.NetworkInstance)
}

func orDefault[T time.Duration | int](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}
