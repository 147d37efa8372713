package upf

import (
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n3"
	"github.com/upflab/upflab/upf/n4"
)

// readConfig reads a file; others are kinds of datapaths from outside the library.
func readConfig(r *reader, f *file, others []Kind) Config {
	cfg := Config{
		N4:          readN4(r, f),
		N3:          N3{r.name("n3.interface", f.N3.Interface), r.ipv4("n3.address", f.N3.Address), r.ipv6("n3.address6", f.N3.Address6)},
		N6:          readN6(r, f),
		UEPools:     r.pools("ue_pool", f.UEPool),
		AllocateUE:  readAllocated(r, f),
		Predefined:  readPredefined(r, f.Predefined),
		Allow:       readAllow(r, f),
		MaxSessions: r.number("max_sessions", f.MaxSessions, DefaultMaxSessions, 1, MaxMaxSessions),
		Limits: n4.Limits{
			Rules:        r.number("limits.rules", f.Limits.Rules, 256, 2, 1024),
			Associations: r.number("limits.associations", f.Limits.Associations, 16, 1, 1024),
			Sessions:     r.number("limits.sessions", f.Limits.Sessions, 0, 1, MaxMaxSessions),
			Filters:      r.number("limits.filters", f.Limits.Filters, 0, 1, MaxMaxSessions),
		},
		Heartbeat: n4.Heartbeat{
			Interval: r.duration("heartbeat.interval", f.Heartbeat.Interval, 0),
			T1:       r.duration("heartbeat.t1", f.Heartbeat.T1, time.Second),
			N1:       r.number("heartbeat.n1", f.Heartbeat.N1, 3, 1, 100),
		},
		SMFs:            readSMFs(r, f.SMF),
		GracefulRelease: r.duration("graceful_release", f.GracefulRelease, 0),
		Realtime:        r.oneOf("realtime", f.Realtime, "false", "true") == "true",
		Echo: n3.Supervision{
			Interval: r.duration("echo.interval", f.Echo.Interval, 0),
			T3:       r.duration("echo.t3", f.Echo.T3, 3*time.Second),
			N3:       r.number("echo.n3", f.Echo.N3, 3, 1, 100),
		},
		NoECN:     r.oneOf("ecn", f.ECN, "normal", "compatibility") == "compatibility",
		Buffering: n4.BufferHold,
		LogLevel:  readLevel(r, f.LogLevel),
		LogJSON:   r.oneOf("log_format", f.LogFormat, "text", "json") == "json",
		Socket:    r.path("socket", f.Socket),
		State:     State{r.path("state.directory", f.State.Directory), r.oneOf("state.fresh", f.State.Fresh, "false", "true") == "true"},
		API:       readAPI(r, f.API.Address),
		Datapath:  readDatapath(r, f, others),
	}
	switch r.oneOf("buffering", f.Buffering, "hold", "drop", "refuse") {
	case "drop":
		cfg.Buffering = n4.BufferDrop
	case "refuse":
		cfg.Buffering = n4.BufferRefuse
	}
	cfg.NodeID = readNodeID(r, f.NodeID, cfg.N4.Address.Addr())
	if k := kindNamed(cfg.Datapath.Kind, others); k != nil && k.Check != nil {
		if key, problem := k.Check(cfg); key != "" {
			r.bad(key, "%s", problem)
		}
	}
	return cfg
}

func readN4Address(r *reader, value string) netip.AddrPort {
	const key = "n4.address"
	address, err := netip.ParseAddrPort(value)
	if err != nil {
		alone, _ := netip.ParseAddr(value)
		address = netip.AddrPortFrom(alone, pfcp.Port)
	}
	switch {
	case value == "":
		r.bad(key, "is missing: give an address of this machine, such as 198.18.0.1 or 2001:db8:4::1")
	case !isReachable(address.Addr()):
		r.bad(key, "%q is not an IPv4 or IPv6 address of this machine: give one, such as 127.0.0.8, 127.0.0.8:8805 or [2001:db8:4::1]:8805",
			value)
	}
	return address
}

// isReachable reports whether an address may be N4's, or an SMF's: no link-local one, which says
// nothing without an interface.
func isReachable(a netip.Addr) bool {
	return a.IsValid() && !a.Is4In6() && !a.IsUnspecified() && !a.IsMulticast() && a.Zone() == "" && !(a.Is6() && a.IsLinkLocalUnicast())
}

// readSMFs reads addresses with or without a port.
func readSMFs(r *reader, values []string) (list []netip.AddrPort) {
	if len(values) > maxSMFs {
		r.bad("smf", "has %d addresses: give %d at most", len(values), maxSMFs)
		return nil
	}
	for i, value := range values {
		to, err := netip.ParseAddrPort(value)
		if err != nil {
			address, _ := netip.ParseAddr(value)
			to = netip.AddrPortFrom(address, pfcp.Port)
		}
		if !isReachable(to.Addr()) || to.Port() == 0 {
			r.bad(fmt.Sprintf("smf[%d]", i),
				"%q is not an address with or without a port: give one, such as 10.0.0.1, 10.0.0.1:8805 or [2001:db8:4::2]:8805", value)
		}
		list = append(list, to)
	}
	return list
}

func readLevel(r *reader, value string) slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(r.oneOf("log_level", value, "info", "debug", "warn", "error"))); err != nil {
		return slog.LevelInfo // reported by oneOf
	}
	return level
}

func readAPI(r *reader, value string) netip.AddrPort {
	if value == "" {
		return netip.AddrPort{}
	}
	address, err := netip.ParseAddrPort(value)
	if err != nil {
		r.bad("api.address", "%q is not ip:port: give one, such as 127.0.0.1:9080", value)
	}
	return address
}

// maxFQDN is the length of a domain name, with each label's length octet.
const maxFQDN = 253

func readNodeID(r *reader, value string, absent netip.Addr) string {
	if value == "" {
		return absent.String()
	}
	if _, err := netip.ParseAddr(value); err == nil {
		return value
	}
	if !isDomainName(value) {
		r.bad("node_id", "%q is neither an IP address nor a domain name", value)
	}
	return value
}

// readN6 reads the interface, and where tunnels end there.
func readN6(r *reader, f *file) N6 {
	n := N6{Interface: r.name("n6.interface", f.N6.Interface), Address6: r.ipv6("n6.address6", f.N6.Address6)}
	if f.N6.Address != "" {
		n.Address = r.ipv4("n6.address", f.N6.Address)
	}
	n.Port = uint16(r.number("n6.port", f.N6.Port, 0, 1, 65535))
	switch {
	case n.Port != 0 && f.N6.Address+f.N6.Address6 == "":
		r.bad("n6.port", "is of tunnels on N6: give n6.address or n6.address6, too")
	case n.Port == gtpu.Port:
		r.bad("n6.port", "%d is GTP-U's: give another", gtpu.Port)
	}
	refuseUE(r, "n6.address", f.N6.Address, f)
	refuseUE(r, "n6.address6", f.N6.Address6, f)
	return n
}

// refuseUE wants an address outside the pools: packets to UEs are not for the UPF.
func refuseUE(r *reader, key, value string, f *file) {
	a, err := netip.ParseAddr(value)
	if err != nil {
		return
	}
	for _, text := range f.UEPool {
		if p, err := netip.ParsePrefix(text); err == nil && p.Contains(a) {
			r.bad(key, "%v is in ue_pool's %v: give an address that no UE has", a, p)
		}
	}
}
