// Package builtin drives upflab's own reference UPF, which runs as a process of
// its own: `upflab upf`.
package builtin

import (
	"context"
	_ "embed"
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/upf/datapath/xdp"
)

//go:embed upf.yaml.tmpl
var config string

// Driver is dut.Driver for the reference UPF.
type Driver struct{ Version string }

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		Doctor: doctor, Choose: choose,
		Name: "builtin", Modes: []string{"xdp", "xdp-generic", "afpacket", "tun", "tap"}, N3Sockets: []string{"tun", "tap"},
		Summary: "upflab's reference UPF: XDP, native or generic, packet sockets, or UDP sockets and a TUN or TAP device",
		Docs:    "part of upflab", Verified: "tried", Contained: true, OuterHeaders: true, IPv6UEs: true, IPv6Transport: true,
	}
}

// choose takes XDP where the kernel takes its programs, and who may not try it finds out why.
func choose() (mode string, why error) {
	err := xdp.Try()
	if err == nil || errors.Is(err, unix.EPERM) {
		return "xdp", nil
	}
	if !host.VethReceives() { // afpacket sends by XDP
		return "tun", err
	}
	return "afpacket", err
}

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) {
	_, err := dut.Own(d.Info())
	return d.Version, err
}

// values fill the configuration.
type values struct {
	N3, N6         string // devices
	N4Addr, N3Addr netip.Addr
	N3Addr6        netip.Addr // invalid: N3 has none
	N6Addr         netip.Addr // of tunnels on N6, which there are where it has IPv6
	N6Addr6        netip.Addr
	N6Port         int
	Kind, Mode     string // the datapath's
	Workers        int    // of a datapath in user space
	Pool           netip.Prefix
	Pool6          netip.Prefix // of UEs with IPv6
	Sessions       int
	Realtime       bool
	API            netip.AddrPort
}

// N4 is where the UPF listens for PFCP.
func (v values) N4() netip.AddrPort { return netip.AddrPortFrom(v.N4Addr, pfcp.Port) }

// Allocated is the end of the pool, out of which the UPF gives addresses when it is asked to:
// those that upflab's SMF gives come from the beginning.
func (v values) Allocated() netip.Prefix {
	if v.Pool.Bits() >= 24 {
		return v.Pool
	}
	last := v.Pool.Masked().Addr().As4()
	for i, mask := range net.CIDRMask(v.Pool.Bits(), 32) {
		last[i] |= ^mask
	}
	return netip.PrefixFrom(netip.AddrFrom4(last), 24).Masked()
}

// pool6 has the UEs with IPv6 where the scenario has any, and in any case where packets of theirs come: N6 has
// an address of IPv6, or the datapath sees them without the kernel's IPv6, which the testbed has switched off else.
func pool6(kind string, n6 netip.Addr, s *scenario.Scenario) (pool netip.Prefix) {
	if kind == "afpacket" || kind != "xdp" && n6.IsValid() || s.UE.Family.IPv6() {
		pool = s.UE.Pool6
	}
	return pool
}

// tunnelEnds are the UPF's IPv6 addresses where tunnels of IPv6 on N3, and tunnels on N6, end: these are
// configured where both links have such addresses.
func tunnelEnds(l *site.Links) (n3, n6 netip.Addr) {
	if !l.UPFN3.Addr6.IsValid() {
		return n3, n6
	}
	return l.UPFN3.Addr6, l.UPFN6.Addr6
}

// datapath is one of the reference UPF's: its kind, and for xdp the mode of its programs.
type datapath struct{ kind, xdp string }

// hook is where the datapath has XDP.
func (d datapath) hook() dut.XDP {
	switch d.kind {
	case "xdp":
		return dut.XDPIn(d.xdp == "native")
	case "afpacket":
		return dut.SendXDP
	}
	return dut.NoXDP
}

// datapaths are those of the modes.
var datapaths = map[string]datapath{
	"xdp": {"xdp", "native"}, "xdp-generic": {"xdp", "generic"},
	"afpacket": {kind: "afpacket"}, "tun": {kind: "tun"}, "tap": {kind: "tap"},
}

// program is upflab itself or the one of an image, or what UPFLAB_BUILTIN names: another
// build of upflab.
func program(info dut.Info, env dut.Env) ([]string, error) {
	if env.Image != nil {
		return env.Find(info, "upflab")
	}
	return dut.Own(info)
}

// startTime is how long the UPF may take until it listens on N4: it loads its datapath before, and the verifier of an
// emulated machine takes half a minute for its programs.
const startTime = 2 * time.Minute

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	self, err := program(d.Info(), env)
	if err != nil {
		return nil, err
	}
	t := env.Site
	path, remarks := datapaths[env.Mode], []string(nil)
	if path.xdp == "native" && !site.NativeXDP(t) {
		path.xdp, remarks = "generic", []string{"builtin runs in generic XDP here. " + site.NoNativeXDP + "."}
	}
	workers := 0
	if path.kind != "xdp" {
		workers = len(env.CPUs)
	}
	api := netip.AddrPortFrom(t.Links().UPFN4.Addr, 9080)
	n3Addr6, n6Addr6 := tunnelEnds(t.Links())
	n4 := t.Links().UPFN4.Addr
	if env.Scenario.Transport.IPv6() {
		n4 = env.Scenario.N4.UPF6
	}
	file, err := dut.Render(env.Dir, "upf.yaml", config, values{
		N3: t.Links().UPFN3.Name, N6: t.Links().UPFN6.Name, N4Addr: n4, N3Addr: t.Links().UPFN3.Addr,
		N3Addr6: n3Addr6, N6Addr: t.Links().UPFN6.Addr, N6Addr6: n6Addr6, N6Port: site.N6Port,
		Kind: path.kind, Mode: path.xdp, Workers: workers,
		Pool: env.Scenario.UE.Pool, Pool6: pool6(path.kind, n6Addr6, env.Scenario), Sessions: max(env.Scenario.Sessions, 1024), API: api,
		Realtime: path.kind == "xdp", // as the kernel's threads that run its programs
	})
	if err != nil {
		return nil, err
	}
	p, err := process.Start(process.Spec{
		Site: t, Image: env.Image, Args: append(self, "upf", "--config", file),
		CPUs: env.CPUs, Log: filepath.Join(env.Dir, "upf.log"),
	})
	if err != nil {
		return nil, err
	}
	if err := dut.Await(ctx, p, startTime, func() bool { return dut.Listens(p, pfcp.Port) }); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return &dut.Instance{
		Program: p, Rendered: []string{file}, Drops: (&counters{t, api}).drops,
		Accounts: dut.Accounts{Read: dut.Together(dut.MetricsAt(t, api.Port()).Read, dut.JSONAt(t, api, "/counters").Read), Claims: claims()},
		Endpoint: dut.Endpoint{N4: netip.AddrPortFrom(n4, pfcp.Port), Dialect: smf.Standard(),
			XDP: path.hook(), Remarks: remarks},
	}, nil
}
