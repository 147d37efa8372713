package upf

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/upflab/upflab/internal/proto/gtpu"
	protocol "github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n3"
	"github.com/upflab/upflab/upf/pfcp"
)

// checker turns text into values and collects what is wrong with it.
type checker struct {
	problems []problem
	others   []Kind // of datapaths, from outside the library
}

type problem struct {
	key  string // dotted
	text string
}

func (c *checker) bad(key, format string, args ...any) {
	c.problems = append(c.problems, problem{key, fmt.Sprintf(format, args...)})
}

// problemsMost is how many problems are listed: to find the line of each, the file is parsed
// once more.
const problemsMost = 40

// error joins the problems, each with the line of the file that it is about
// where there is one.
func (c *checker) error(text []byte) error {
	all := make([]error, min(len(c.problems), problemsMost))
	for i, p := range c.problems[:len(all)] {
		all[i] = errors.New(p.key + ": " + p.text)
		path, err := yaml.PathString("$." + p.key)
		if err != nil {
			continue
		}
		if where, err := path.AnnotateSource(text, false); err == nil {
			all[i] = fmt.Errorf("%w\n%s", all[i], marked(string(where)))
		}
	}
	if more := len(c.problems) - len(all); more > 0 {
		all = append(all, fmt.Errorf("%d more problems are not listed", more))
	}
	return errors.Join(all...)
}

// excerptMost is the length, bytes, of a line that an error shows.
const excerptMost = 300

// marked keeps of an annotated source the line meant and the caret below it.
func marked(source string) string {
	lines := strings.Split(source, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ">") && len(line) > excerptMost {
			return line[:excerptMost] + " ..."
		}
		if strings.HasPrefix(line, ">") {
			return strings.Join(lines[i:min(i+2, len(lines))], "\n")
		}
	}
	return source
}

func (c *checker) config(f *file) Config {
	cfg := Config{
		N4:          c.n4Of(f),
		N3:          N3{c.name("n3.interface", f.N3.Interface), c.ipv4("n3.address", f.N3.Address), c.ipv6("n3.address6", f.N3.Address6)},
		N6:          c.n6(f),
		UEPools:     c.pools("ue_pool", f.UEPool),
		AllocateUE:  c.allocate(f),
		Predefined:  c.predefined(f.Predefined),
		Allow:       c.allow(f),
		MaxSessions: c.number("max_sessions", f.MaxSessions, DefaultMaxSessions, 1, MaxMaxSessions),
		Limits: pfcp.Limits{
			Rules:        c.number("limits.rules", f.Limits.Rules, 256, 2, 1024),
			Associations: c.number("limits.associations", f.Limits.Associations, 16, 1, 1024),
			Sessions:     c.number("limits.sessions", f.Limits.Sessions, 0, 1, MaxMaxSessions),
			Filters:      c.number("limits.filters", f.Limits.Filters, 0, 1, MaxMaxSessions),
		},
		Heartbeat: pfcp.Heartbeat{
			Interval: c.duration("heartbeat.interval", f.Heartbeat.Interval, 0),
			T1:       c.duration("heartbeat.t1", f.Heartbeat.T1, time.Second),
			N1:       c.number("heartbeat.n1", f.Heartbeat.N1, 3, 1, 100),
		},
		SMFs:            c.smfs(f.SMF),
		GracefulRelease: c.duration("graceful_release", f.GracefulRelease, 0),
		Realtime:        c.oneOf("realtime", f.Realtime, "false", "true") == "true",
		Echo: n3.Supervision{
			Interval: c.duration("echo.interval", f.Echo.Interval, 0),
			T3:       c.duration("echo.t3", f.Echo.T3, 3*time.Second),
			N3:       c.number("echo.n3", f.Echo.N3, 3, 1, 100),
		},
		NoECN:     c.oneOf("ecn", f.ECN, "normal", "compatibility") == "compatibility",
		Buffering: pfcp.BufferHold,
		LogLevel:  c.level(f.LogLevel),
		LogJSON:   c.oneOf("log_format", f.LogFormat, "text", "json") == "json",
		Socket:    c.path("socket", f.Socket),
		State:     State{c.path("state.directory", f.State.Directory), c.oneOf("state.fresh", f.State.Fresh, "false", "true") == "true"},
		API:       c.api(f.API.Address),
		Datapath:  c.datapath(f),
	}
	switch c.oneOf("buffering", f.Buffering, "hold", "drop", "refuse") {
	case "drop":
		cfg.Buffering = pfcp.BufferDrop
	case "refuse":
		cfg.Buffering = pfcp.BufferRefuse
	}
	cfg.NodeID = c.nodeID(f.NodeID, cfg.N4.Address.Addr())
	if k := c.other(cfg.Datapath.Kind); k != nil && k.Check != nil {
		if key, problem := k.Check(cfg); key != "" {
			c.bad(key, "%s", problem)
		}
	}
	return cfg
}

// oneOf takes one of the values; the first is the default.
func (c *checker) oneOf(key, value string, values ...string) string {
	switch {
	case value == "":
		return values[0]
	case !slices.Contains(values, value):
		c.bad(key, "%q is none of: %s", value, strings.Join(values, ", "))
	}
	return value
}

func (c *checker) n4(value string) netip.AddrPort {
	const key = "n4.address"
	address, err := netip.ParseAddrPort(value)
	if err != nil {
		alone, _ := netip.ParseAddr(value)
		address = netip.AddrPortFrom(alone, protocol.Port)
	}
	switch {
	case value == "":
		c.bad(key, "is missing: give an address of this machine, such as 198.18.0.1 or 2001:db8:4::1")
	case !isReachable(address.Addr()):
		c.bad(key, "%q is not an IPv4 or IPv6 address of this machine: give one, such as 127.0.0.8, 127.0.0.8:8805 or [2001:db8:4::1]:8805",
			value)
	}
	return address
}

// isReachable reports whether an address may be N4's, or an SMF's: no link-local one, which says
// nothing without an interface.
func isReachable(a netip.Addr) bool {
	return a.IsValid() && !a.Is4In6() && !a.IsUnspecified() && !a.IsMulticast() && a.Zone() == "" && !(a.Is6() && a.IsLinkLocalUnicast())
}

// smfs reads addresses with or without a port.
func (c *checker) smfs(values []string) (list []netip.AddrPort) {
	if len(values) > maxSMFs {
		c.bad("smf", "has %d addresses: give %d at most", len(values), maxSMFs)
		return nil
	}
	for i, value := range values {
		to, err := netip.ParseAddrPort(value)
		if err != nil {
			address, _ := netip.ParseAddr(value)
			to = netip.AddrPortFrom(address, protocol.Port)
		}
		if !isReachable(to.Addr()) || to.Port() == 0 {
			c.bad(fmt.Sprintf("smf[%d]", i),
				"%q is not an address with or without a port: give one, such as 10.0.0.1, 10.0.0.1:8805 or [2001:db8:4::2]:8805", value)
		}
		list = append(list, to)
	}
	return list
}

func (c *checker) ipv4(key, value string) netip.Addr {
	address, err := netip.ParseAddr(value)
	switch {
	case value == "":
		c.bad(key, "is missing: give an IPv4 address of this machine, such as 198.18.0.1")
	case err != nil || !address.Is4() || address.IsUnspecified():
		c.bad(key, "%q is not an IPv4 address of this machine: give one, such as 198.18.0.1", value)
	}
	return address
}

// ipv6 reads an address that may be absent.
func (c *checker) ipv6(key, value string) netip.Addr {
	if value == "" {
		return netip.Addr{}
	}
	address, err := netip.ParseAddr(value)
	if err != nil || !address.Is6() || address.Is4In6() || !address.IsGlobalUnicast() || address.Zone() != "" {
		c.bad(key, "%q is not a global IPv6 address of this machine: give one, such as 2001:db8:3::1", value)
		return netip.Addr{}
	}
	return address
}

// maxInterfaceName is IFNAMSIZ without the terminating zero.
const maxInterfaceName = 15

func (c *checker) name(key, value string) string {
	switch {
	case value == "":
		c.bad(key, "is missing: give the name of a network interface, as `ip link` shows it")
	case len(value) > maxInterfaceName || strings.ContainsAny(value, "/ \t"):
		c.bad(key, "%q cannot be the name of a network interface", value)
	}
	return value
}

func (c *checker) number(key, value string, absent, low, high int) int {
	if value == "" {
		return absent
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < low || n > high {
		c.bad(key, "%s is not a number in %d..%d", value, low, high)
	}
	return n
}

func (c *checker) duration(key, value string, absent time.Duration) time.Duration {
	if value == "" {
		return absent
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 || d > 0 && d < minInterval {
		c.bad(key, "%q is not a duration of %v or more: write it like 10s or 500ms", value, minInterval)
	}
	return d
}

func (c *checker) level(value string) slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.oneOf("log_level", value, "info", "debug", "warn", "error"))); err != nil {
		return slog.LevelInfo // reported by oneOf
	}
	return level
}

func (c *checker) api(value string) netip.AddrPort {
	if value == "" {
		return netip.AddrPort{}
	}
	address, err := netip.ParseAddrPort(value)
	if err != nil {
		c.bad("api.address", "%q is not ip:port: give one, such as 127.0.0.1:9080", value)
	}
	return address
}

// maxPath is what fits sockaddr_un.
const maxPath = 107

func (c *checker) path(key, value string) string {
	if value != "" && (!filepath.IsAbs(value) || len(value) > maxPath) {
		c.bad(key, "%q is not an absolute path of at most %d octets: give one below /run/upflab-upf", value, maxPath)
	}
	return value
}

// maxFQDN is the length of a domain name, with each label's length octet.
const maxFQDN = 253

func (c *checker) nodeID(value string, absent netip.Addr) string {
	if value == "" {
		return absent.String()
	}
	if _, err := netip.ParseAddr(value); err == nil {
		return value
	}
	if !isDomainName(value) {
		c.bad("node_id", "%q is neither an IP address nor a domain name", value)
	}
	return value
}

// n6 reads the interface, and where tunnels end there.
func (c *checker) n6(f *file) N6 {
	n := N6{Interface: c.name("n6.interface", f.N6.Interface), Address6: c.ipv6("n6.address6", f.N6.Address6)}
	if f.N6.Address != "" {
		n.Address = c.ipv4("n6.address", f.N6.Address)
	}
	n.Port = uint16(c.number("n6.port", f.N6.Port, 0, 1, 65535))
	switch {
	case n.Port != 0 && f.N6.Address+f.N6.Address6 == "":
		c.bad("n6.port", "is of tunnels on N6: give n6.address or n6.address6, too")
	case n.Port == gtpu.Port:
		c.bad("n6.port", "%d is GTP-U's: give another", gtpu.Port)
	}
	c.notUE("n6.address", f.N6.Address, f)
	c.notUE("n6.address6", f.N6.Address6, f)
	return n
}

// notUE wants an address outside the pools: packets to UEs are not for the UPF.
func (c *checker) notUE(key, value string, f *file) {
	a, err := netip.ParseAddr(value)
	if err != nil {
		return
	}
	for _, text := range f.UEPool {
		if p, err := netip.ParsePrefix(text); err == nil && p.Contains(a) {
			c.bad(key, "%v is in ue_pool's %v: give an address that no UE has", a, p)
		}
	}
}
