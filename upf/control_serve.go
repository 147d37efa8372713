package upf

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/unicast"
	"github.com/upflab/upflab/upf/control"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n4"
)

// openControl listens on the Unix socket of programs on this machine, which is its
// owner's alone. One that a killed UPF left is replaced.
func openControl(path string) (net.Listener, error) {
	if conn, err := net.Dial("unix", path); err == nil {
		conn.Close()
		return nil, fmt.Errorf("open the control socket %s: another UPF has it: choose another socket", path)
	} else if errors.Is(err, unix.ECONNREFUSED) {
		os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the control socket: %w", err)
	}
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var failed error // the socket's mode is that of the file that bind makes
		err := raw.Control(func(fd uintptr) { failed = unix.Fchmod(int(fd), 0o600) })
		return errors.Join(err, failed)
	}}
	l, err := config.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, fmt.Errorf("open the control socket %s: %w", path, err)
	}
	return l, nil
}

// inspector answers questions about a UPF that runs: its sessions, their packets and rates, and its counters.
type inspector struct {
	n4       *n4.Server
	can      datapath.Capabilities
	kind     string     // of the datapath
	n3       netip.Addr // where uplink tunnels end
	counters func() (Counters, error)
}

func (u *UPF) inspector() inspector {
	return inspector{u.n4, u.can, u.cfg.Datapath.Kind, u.cfg.N3.Address, u.Counters}
}

func (u *UPF) serveControl(ctx context.Context) error {
	if u.control == nil {
		return nil
	}
	mux, about := http.NewServeMux(), u.inspector()
	mux.HandleFunc("GET /counters", about.getCounters)
	mux.HandleFunc("GET /sessions", about.getSessions)
	mux.HandleFunc("GET /sessions/{seid}", about.getSession)
	mux.HandleFunc("GET /top", about.getTop)
	mux.HandleFunc("GET /sessions/{seid}/capture", about.getCapture)
	// A deadline for all of a request would end answers that go on.
	return serve(ctx, u.control, &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute})
}

// getSessions lists sessions: with ?ue=ADDRESS that UE's, with ?limit=N the first.
func (v inspector) getSessions(w http.ResponseWriter, r *http.Request) {
	list := control.Sessions{Total: v.n4.Counters().Sessions, Sessions: []control.Session{}}
	limit, err := strconv.Atoi(r.FormValue("limit"))
	if err != nil || limit <= 0 {
		limit = list.Total + 1
	}
	ue, _ := netip.ParseAddr(r.FormValue("ue"))
	v.n4.Sessions(func(i sessionInfo) bool {
		if one := v.describe(i); !ue.IsValid() || isUE(one, ue) {
			list.Sessions = append(list.Sessions, one)
		}
		return len(list.Sessions) < limit
	})
	answer(w, list)
}

func isUE(s control.Session, address netip.Addr) bool {
	return slices.ContainsFunc(s.UEs, func(p netip.Prefix) bool { return p.Contains(address) })
}

func (v inspector) getSession(w http.ResponseWriter, r *http.Request) {
	seid, err := control.ParseSEID(r.PathValue("seid"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	info, ok := v.n4.Session(uint64(seid))
	if !ok {
		http.Error(w, fmt.Sprintf("there is no session %v: see `upflab upf sessions`", seid), http.StatusNotFound)
		return
	}
	answer(w, v.detail(info))
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.Encode(v)
}

// receiveBuffer holds what arrives while the server is busy with a burst: some
// ten thousand requests.
const receiveBuffer = 8 << 20

// listen opens a UDP socket that takes what comes in by the device, or by any
// when that is empty. What names the socket in errors.
func listen(what string, address netip.AddrPort, device string) (*net.UDPConn, error) {
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		return errors.Join(bindToDevice(raw, device), unicast.Control(raw))
	}}
	network := "udp4"
	if address.Addr().Is6() {
		network = "udp6"
	}
	conn, err := config.ListenPacket(context.Background(), network, address.String())
	if err != nil {
		return nil, fmt.Errorf("open %s on UDP %v: %w%s", what, address, err, remedy(err, address, device))
	}
	udp := conn.(*net.UDPConn)
	enlarge(udp)
	return udp, nil
}

func bindToDevice(raw syscall.RawConn, device string) error {
	if device == "" {
		return nil
	}
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptString(int(fd), unix.SOL_SOCKET, unix.SO_BINDTODEVICE, device)
	})
	return errors.Join(err, failed)
}

func remedy(err error, address netip.AddrPort, device string) string {
	switch {
	case errors.Is(err, unix.EADDRINUSE):
		return fmt.Sprintf(": another program has the port; see `ss -lunp sport = :%d`", address.Port())
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return fmt.Sprintf(": no interface has the address; add it by `ip address add %v/24 dev ...`", address.Addr())
	case errors.Is(err, unix.ENODEV):
		return fmt.Sprintf(": there is no interface %q; see `ip link`", device)
	}
	return ""
}

// enlarge sets the receive buffer, beyond the system's limit where that is
// allowed. A smaller buffer loses requests under load, which are repeated; so
// a failure is no error.
func enlarge(conn *net.UDPConn) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	forced := false
	raw.Control(func(fd uintptr) {
		forced = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer) == nil
	})
	if !forced {
		conn.SetReadBuffer(receiveBuffer)
	}
}

// Bounds of a capture.
const (
	captureMost    = 100_000
	captureLongest = time.Hour
	captureWaiting = 4096 // packets that the client has not read yet
)

// getCapture sends a session's packets as they come: ?packets=N at most, for ?time=T.
func (v inspector) getCapture(w http.ResponseWriter, r *http.Request) {
	seid, err := control.ParseSEID(r.PathValue("seid"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	packets, err1 := strconv.Atoi(cmp.Or(r.FormValue("packets"), "1000"))
	period, err2 := time.ParseDuration(cmp.Or(r.FormValue("time"), "1m"))
	if err1 != nil || err2 != nil || packets < 1 || packets > captureMost || period <= 0 || period > captureLongest {
		http.Error(w, fmt.Sprintf("give 1 to %d packets, and a time up to %v", captureMost, captureLongest), http.StatusBadRequest)
		return
	}
	info, ok := v.n4.Session(uint64(seid))
	if !ok {
		http.Error(w, fmt.Sprintf("there is no session %v: see `upflab upf sessions`", seid), http.StatusNotFound)
		return
	}
	if v.can.Capture == nil {
		http.Error(w, fmt.Sprintf("datapath.kind %s does not capture: use tcpdump on N3 and N6", v.kind), http.StatusNotImplemented)
		return
	}
	seen := make(chan control.Captured, captureWaiting)
	run, err := v.can.Capture(watchKeys(v.describe(info)), func(s datapath.Seen) {
		select {
		case seen <- captured(s):
		default: // the client is too slow
		}
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer run.Close()
	http.NewResponseController(w).Flush() // the client knows that it has begun
	send(w, r, seen, packets, time.After(period))
}

// send writes packets until there are enough, or the time is over.
func send(w http.ResponseWriter, r *http.Request, seen <-chan control.Captured, packets int, over <-chan time.Time) {
	enc := json.NewEncoder(w)
	for n := 0; n < packets; {
		select {
		case <-r.Context().Done():
			return
		case <-over:
			return
		case one := <-seen:
			if !one.Dropped {
				n++
			}
			if enc.Encode(one) != nil {
				return
			}
			if len(seen) == 0 {
				http.NewResponseController(w).Flush()
			}
		}
	}
}

func captured(s datapath.Seen) control.Captured {
	port := "n3"
	if s.N6 {
		port = "n6"
	}
	frame := make([]byte, len(s.Frame))
	copy(frame, s.Frame)
	return control.Captured{At: s.At, Port: port, Out: s.Out, Dropped: s.Dropped, Length: s.Length, Frame: frame}
}

type sessionInfo = n4.Info

// describe is a session for a list.
func (v inspector) describe(i sessionInfo) control.Session {
	r := i.Rules
	one := control.Session{
		SEID: control.SEID(i.SEID), CPSEID: control.SEID(i.CPSEID), Node: i.Node, Held: i.Held,
		UEs: []netip.Prefix{}, Tunnels: []control.Tunnel{}, PDRs: len(r.PDRs), FARs: len(r.FARs), QERs: len(r.QERs), URRs: len(r.URRs),
	}
	for k := range r.PDRs {
		p := &r.PDRs[k].PDI
		if p.UE.IsValid() {
			one.UEs = addNew(one.UEs, netip.PrefixFrom(p.UE, p.UE.BitLen()))
		}
		if p.UE6.IsValid() {
			one.UEs = addNew(one.UEs, p.UE6)
		}
		for _, f := range p.Framed {
			one.UEs = addNew(one.UEs, f)
		}
		if p.HasTEID {
			one.Tunnels = addNew(one.Tunnels, control.Tunnel{TEID: control.TEID(p.TEID), Address: v.n3, Local: true})
		}
	}
	for k := range r.FARs {
		if o := r.FARs[k].Outer; o != nil && !o.Kind.OnN6() {
			one.Tunnels = addNew(one.Tunnels, control.Tunnel{TEID: control.TEID(o.TEID), Address: o.Peer})
		}
	}
	return one
}

func has[T comparable](list []T, one T) bool { return slices.Contains(list, one) }

func addNew[T comparable](list []T, one T) []T {
	if has(list, one) {
		return list
	}
	return append(list, one)
}

// detail is all that is known of a session.
func (v inspector) detail(i sessionInfo) control.Detail {
	d := control.Detail{Session: v.describe(i), Peer: i.Peer, Rules: i.Rules, Usage: []control.Usage{}}
	for k := range i.Rules.URRs {
		r := &i.Rules.URRs[k]
		if v.can.Measurer == nil {
			break
		}
		if n, err := v.can.Measurer.Usage(i.SEID, r.Key()); err == nil {
			d.Usage = append(d.Usage, control.Usage{URR: r.ID, UplinkPackets: n.Uplink.Packets, UplinkOctets: n.Uplink.Octets,
				DownlinkPackets: n.Downlink.Packets, DownlinkOctets: n.Downlink.Octets})
		}
	}
	return d
}
