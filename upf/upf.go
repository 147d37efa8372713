package upf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/socket/n4socket"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n3"
	"github.com/upflab/upflab/upf/n4"
	"github.com/upflab/upflab/upf/slowpath"
)

// UPF is a reference UPF whose sockets are open.
type UPF struct {
	mu      sync.Mutex // guards cfg, after New
	cfg     Config
	log     *slog.Logger
	dp      datapath.Datapath
	can     datapath.Capabilities // of dp
	n4      *n4.Server
	n3      *n3.Endpoint
	n4Conn  *net.UDPConn
	n3Conn  net.PacketConn
	n3Conn6 *net.UDPConn     // nil where N3 has no IPv6
	api     net.Listener     // nil when there is none
	control net.Listener     // the same
	slow    *slowpath.Sender // nil where the datapath needs none, or the sockets may not be opened
	icmp4   *icmp4Socket     // nil where it may not be opened
	icmp6   *icmp6Socket     // nil where no UE has IPv6
	started time.Time
	// handOver: what is kept is left to a later process.
	handOver atomic.Bool
	ours     bool // New opened what is kept
}

// New opens the sockets of N4, N3 and the API in the network namespace of the
// calling thread, and makes a UPF of them and the datapath, which belongs to
// the UPF from then on. On an error everything that New opened is closed and
// the datapath is still the caller's. log may be nil.
func New(cfg Config, dp datapath.Datapath, log *slog.Logger) (u *UPF, err error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if cfg.NodeID == "" {
		cfg.NodeID = cfg.N4.Address.Addr().String()
	}
	u = &UPF{cfg: cfg, log: log, dp: dp, can: dp.Capabilities(), started: time.Now()}
	if cfg.Kept == nil {
		if u.cfg.Kept, err = cfg.State.Open(log); err != nil {
			return nil, err
		}
		u.ours = true
	}
	if err := u.assemble(); err != nil {
		return nil, errors.Join(err, u.closeSockets(), u.closeKept())
	}
	return u, nil
}

// closeKept gives back what New opened.
func (u *UPF) closeKept() error {
	if !u.ours {
		return nil
	}
	return u.cfg.Kept.Close()
}

func (u *UPF) assemble() (err error) {
	if u.can.Remarks != nil {
		for _, remark := range u.can.Remarks() {
			u.log.Info("the datapath is slower than it could be", "why", remark)
		}
	}
	var sendICMP func(netip.Addr, []byte)
	if u.icmp4, err = openICMP(); err != nil {
		u.log.Warn("packets with DF that are too big get no answer", "err", err)
	} else {
		sendICMP = u.icmp4.send
	}
	u.openSlow(slowpath.Open)
	var sendICMPv6 func(netip.Addr, []byte)
	if slices.ContainsFunc(u.cfg.UEPools, func(p netip.Prefix) bool { return p.Addr().Is6() }) {
		if u.icmp6, err = openICMPv6(); err != nil {
			return err
		}
		if u.icmp6 != nil {
			sendICMPv6 = u.icmp6.send
		}
	}
	var keeper n4.Keeper
	if u.cfg.Kept != nil {
		keeper = u.cfg.Kept.journal
	}
	u.n4, err = n4.New(n4.Config{
		Keeper: keeper,
		NodeID: u.cfg.NodeID, N4: u.cfg.N4.Address.Addr(), N3: u.cfg.N3.Address, N36: u.cfg.N3.Address6,
		Datapath: u.dp, AllocateUE: u.cfg.AllocateUE, Predefined: u.cfg.Predefined,
		MaxSessions: u.cfg.MaxSessions, Limits: u.cfg.Limits, SMFs: u.cfg.N4.SMFs, Sets: u.cfg.N4.Sets, Buffering: u.cfg.Buffering, Heartbeat: u.cfg.Heartbeat,
		Connect: u.cfg.SMFs, EndMarker: u.endMarker, Forward: u.forward, SendICMP: sendICMP, SendICMPv6: sendICMPv6, Log: u.log,
	})
	if err != nil {
		return err
	}
	if err := u.open(); err != nil {
		return err
	}
	if err := u.restore(); err != nil {
		return err
	}
	return u.startDatapath()
}

// openSlow has what the datapath cannot send itself sent, where it hands that on. Without a socket for it
// the datapath takes no G-PDUs that came in fragments, which are sent so: it would count them as forwarded.
func (u *UPF) openSlow(open func() (*slowpath.Sender, error)) {
	if u.can.OnSlow == nil {
		return
	}
	var err error
	if u.slow, err = open(); err != nil {
		u.log.Warn("packets that are to be fragmented, or whose next hop is to be resolved, are dropped where they have no socket", "err", err)
	}
	if u.slow == nil {
		if u.can.Inject != nil {
			u.log.Warn("G-PDUs that come in fragments are dropped for the same reason")
		}
		u.can.Inject = nil
		return
	}
	u.can.OnSlow(u.slow.Take)
}

// open opens the sockets.
func (u *UPF) open() error {
	device, err := u.cfg.N4.Device()
	if err != nil {
		return err
	}
	if u.n4Conn, err = listen("N4 (PFCP)", u.cfg.N4.Address, device); err != nil {
		return err
	}
	if err = u.openN3(); err != nil {
		return err
	}
	u.log.Info("N4 is open", "address", u.cfg.N4.Address, "interface", cmp.Or(device, AnyInterface))
	if u.cfg.Socket != "" {
		if u.control, err = openControl(u.cfg.Socket); err != nil {
			return err
		}
	}
	if !u.cfg.API.IsValid() {
		return nil
	}
	if u.api, err = net.Listen("tcp", u.cfg.API.String()); err != nil {
		return fmt.Errorf("open the API on TCP %v: %w: choose another api.address", u.cfg.API, err)
	}
	return nil
}

// openN3 makes the endpoint of what a datapath does not forward, on the datapath's socket
// where it has the port.
func (u *UPF) openN3() (err error) {
	if u.can.Signalling != nil {
		u.n3Conn = u.can.Signalling
	} else {
		conn, err := listen("N3 (GTP-U)", netip.AddrPortFrom(u.cfg.N3.Address, gtpu.Port), u.cfg.N3.Interface)
		if err != nil {
			return err
		}
		u.n3Conn = conn
	}
	conn6, err := u.openN36()
	if err != nil {
		return err
	}
	supervision := u.cfg.Echo
	supervision.Peers, supervision.Failed, supervision.Recovered = u.n4.Peers, u.n4.PathFailed, u.n4.PathRecovered
	u.n3 = n3.New(u.n3Conn, n3.Config{
		NoECN:   u.cfg.NoECN,
		Address: u.cfg.N3.Address, Conn6: conn6, Address6: u.cfg.N3.Address6, KnownTEID: u.n4.HasTEID,
		Inject: u.can.Inject, TunnelGone: u.n4.TunnelGone, Onward: u.n4.Onward, Supervision: supervision, Log: u.log,
	})
	if u.can.Deliver != nil {
		u.can.Deliver(u.n3.Deliver)
	}
	return nil
}

// openN36 gives the socket of N3's IPv6 address; nil where there is none.
func (u *UPF) openN36() (conn net.PacketConn, err error) {
	at := u.cfg.N3.Address6
	if !at.IsValid() {
		return nil, nil
	}
	if u.can.Signalling6 != nil {
		return u.can.Signalling6, nil
	}
	u.n3Conn6, err = listen("N3 (GTP-U)", netip.AddrPortFrom(at, gtpu.Port), u.cfg.N3.Interface)
	return u.n3Conn6, err
}

// Run serves until ctx is done or a part of the UPF fails, then closes the
// sockets and the datapath. After ctx was done it returns nil, unless
// something could not be closed. A UPF runs once.
func (u *UPF) Run(ctx context.Context) error {
	u.log.Info("the UPF is ready", "n4", u.cfg.N4.Address, "n3", u.cfg.N3.Address, "node_id", u.cfg.NodeID)
	u.raise()
	serving, stop := u.stopping(ctx)
	defer stop()
	err := together(serving, u.serveN4, u.n3.Serve, u.sendSlow, u.serveAPI, u.serveControl, u.logCounters)
	return errors.Join(err, u.settleState(err), u.closeSockets(), u.dp.Close())
}

// realtimePriority is that of the UPF's threads, where they have a real-time one: the lowest,
// so that the kernel's threads that receive packets can go first.
const realtimePriority = 1

// raise gives the UPF's threads real-time priority, where the configuration asks for it.
func (u *UPF) raise() {
	if !u.cfg.Realtime {
		return
	}
	if err := threads.RaiseAll(realtimePriority); err != nil {
		u.log.Warn("the UPF's threads have normal priority; real-time priority needs CAP_SYS_NICE and, in a "+
			"control group, a share of real-time", "err", err)
	}
}

// stopping gives a context that is done when ctx is and the CP functions have released
// their associations, where they are to be asked.
func (u *UPF) stopping(ctx context.Context) (context.Context, context.CancelFunc) {
	if u.cfg.GracefulRelease <= 0 {
		return context.WithCancel(ctx)
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		if !u.handOver.Load() || u.cfg.Kept == nil {
			u.n4.Leave(serving, u.cfg.GracefulRelease)
		}
		cancel()
	})
	return serving, func() { unhook(); cancel() }
}

// Close closes a UPF that is not to be Run. Run itself needs no Close.
func (u *UPF) Close() error {
	return errors.Join(u.closeSockets(), u.closeKept(), u.dp.Close())
}

func (u *UPF) serveN4(ctx context.Context) (err error) {
	conn := net.PacketConn(u.n4Conn)
	if u.cfg.WrapN4 != nil {
		if conn, err = u.cfg.WrapN4(conn); err != nil {
			return err
		}
	}
	if runtime.NumCPU() > 1 || conn != net.PacketConn(u.n4Conn) {
		return u.n4.Serve(ctx, conn)
	}
	socket, err := n4socket.Take(u.n4Conn)
	u.n4Conn = nil // closed
	if err != nil {
		return err
	}
	return errors.Join(u.n4.ServeAlone(ctx, socket), socket.Close())
}

func (u *UPF) closeSockets() error {
	errs := []error{u.icmp4.close(), u.icmp6.close(), u.slow.Close()}
	u.icmp4, u.icmp6, u.slow = nil, nil, nil
	if u.n4Conn != nil {
		errs = append(errs, u.n4Conn.Close())
	}
	if u.n3Conn6 != nil {
		errs = append(errs, u.n3Conn6.Close())
	}
	if u.n3Conn != nil && u.n3Conn != u.can.Signalling {
		errs = append(errs, u.n3Conn.Close())
	}
	for _, l := range []net.Listener{u.api, u.control} {
		if l == nil {
			continue
		}
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// sendSlow sends what the datapath forwards and cannot send itself, until ctx is done.
func (u *UPF) sendSlow(ctx context.Context) error {
	if u.slow != nil {
		u.slow.Run(ctx)
	}
	return nil
}

// together runs the parts and ends all of them when ctx is done or one fails.
func together(ctx context.Context, parts ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan error, len(parts))
	for _, part := range parts {
		go func() { results <- part(ctx) }()
	}
	var all error
	for range parts {
		if err := <-results; err != nil {
			all = errors.Join(all, err)
			cancel()
		}
	}
	return all
}
