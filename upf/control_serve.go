package upf

import (
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

	"github.com/upflab/upflab/upf/control"
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

func (u *UPF) serveControl(ctx context.Context) error {
	if u.control == nil {
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /counters", u.getCounters)
	mux.HandleFunc("GET /sessions", u.getSessions)
	mux.HandleFunc("GET /sessions/{seid}", u.getSession)
	mux.HandleFunc("GET /top", u.getTop)
	mux.HandleFunc("GET /sessions/{seid}/capture", u.getCapture)
	// A deadline for all of a request would end answers that go on.
	return serve(ctx, u.control, &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute})
}

// getSessions lists sessions: with ?ue=ADDRESS that UE's, with ?limit=N the first.
func (u *UPF) getSessions(w http.ResponseWriter, r *http.Request) {
	list := control.Sessions{Total: u.pfcp.Counters().Sessions, Sessions: []control.Session{}}
	limit, err := strconv.Atoi(r.FormValue("limit"))
	if err != nil || limit <= 0 {
		limit = list.Total + 1
	}
	ue, _ := netip.ParseAddr(r.FormValue("ue"))
	u.pfcp.Sessions(func(i sessionInfo) bool {
		if one := u.describe(i); !ue.IsValid() || isUE(one, ue) {
			list.Sessions = append(list.Sessions, one)
		}
		return len(list.Sessions) < limit
	})
	answer(w, list)
}

func isUE(s control.Session, address netip.Addr) bool {
	return slices.ContainsFunc(s.UEs, func(p netip.Prefix) bool { return p.Contains(address) })
}

func (u *UPF) getSession(w http.ResponseWriter, r *http.Request) {
	seid, err := control.ParseSEID(r.PathValue("seid"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	info, ok := u.pfcp.Session(uint64(seid))
	if !ok {
		http.Error(w, fmt.Sprintf("there is no session %v: see `upflab upf sessions`", seid), http.StatusNotFound)
		return
	}
	answer(w, u.detail(info))
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.Encode(v)
}
