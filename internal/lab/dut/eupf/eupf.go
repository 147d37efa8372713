// Package eupf drives eUPF, a UPF in eBPF/XDP: https://github.com/edgecomllc/eupf
package eupf

import (
	"context"
	_ "embed"
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

//go:embed config.yml.tmpl
var config string

// Driver is dut.Driver for eUPF.
type Driver struct{}

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		Doctor: doctor, Defects: defects, NoIPv6Transport: "it refuses IPv6 on N3",
		Name: "eupf", Dialect: "eupf", Modes: []string{"native", "generic"},
		Published: dut.Published{Image: "ghcr.io/edgecomllc/eupf:0.7.1", Program: "/app/bin/eupf"},
		Summary:   "eUPF: eBPF/XDP, one program on N3 and N6",
		Docs:      "https://github.com/edgecomllc/eupf and docs/duts/eupf.md",
		Contained: true, MaxSessions: maxSessions,
		Verified: "tried, v0.7.1", // its program does not report a version
	}
}

// Installed implements dut.Driver: it gives the version that is installed here. eUPF's program does
// not report its version.
func (d Driver) Installed() (string, error) {
	_, path, err := dut.Find(d.Info(), "eupf")
	if err != nil {
		return "", err
	}
	return dut.GoVersion(path), nil
}

// maxSessions is what eUPF's maps hold. Its resize_ebpf_maps does not help: it
// makes new maps, but its program, loaded before, goes on with the old ones and
// then finds no session at all.
const maxSessions = 512

// values fill the configuration.
type values struct {
	N3, N6 string // devices
	Mode   string
	N4Addr netip.Addr
	N3Addr netip.Addr
}

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	command, err := env.Find(d.Info(), "eupf")
	if err != nil {
		return nil, err
	}
	if n := env.Scenario.Sessions; n > maxSessions {
		return nil, fmt.Errorf("eUPF holds %d sessions (1024 FARs, two a session), not %d: set sessions=%d or less", maxSessions, n, maxSessions)
	}
	t := env.Site
	if env.Mode == "native" && !site.NativeXDP(t) {
		return nil, fmt.Errorf("eUPF's native mode cannot run: %s: use eupf:generic, or another link", site.NoNativeXDP)
	}
	file, err := dut.Render(env.Dir, "eupf.yml", config, values{
		N3: t.Links().UPFN3.Name, N6: t.Links().UPFN6.Name, Mode: env.Mode,
		N4Addr: t.Links().UPFN4.Addr, N3Addr: t.Links().UPFN3.Addr,
	})
	if err != nil {
		return nil, err
	}
	p, err := process.Start(process.Spec{
		Site: t, Image: env.Image, Args: append(command, "--config", file), Env: []string{"GIN_MODE=release"},
		CPUs: env.CPUs, Log: filepath.Join(env.Dir, "eupf.log"), Dir: env.Dir,
	})
	if err != nil {
		return nil, err
	}
	return &dut.Instance{
		Program: p, Rendered: []string{file}, Drops: (&counters{t}).drops,
		Accounts: dut.Accounts{Read: dut.MetricsAt(t, 9090).Read, Claims: claims()},
		Endpoint: dut.Endpoint{N4: netip.AddrPortFrom(t.Links().UPFN4.Addr, pfcp.Port), Dialect: smf.EUPF(),
			XDP: dut.XDPIn(env.Mode == "native")},
	}, nil
}
