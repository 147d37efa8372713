// Package builtin drives upflab's own reference UPF, which runs as a process of
// its own: `upflab upf`.
package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/dut/process"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/smf"
)

//go:embed upf.yaml.tmpl
var config string

// Driver is dut.Driver for the reference UPF.
type Driver struct{ Version string }

// Info is dut.Driver's.
func (Driver) Info() dut.Info {
	return dut.Info{
		Name: "builtin", Modes: []string{"xdp", "xdp-generic"},
		Summary: "upflab's reference UPF, in XDP: native, or generic",
		Docs:    "part of upflab", Verified: "run here", Contained: true,
	}
}

// Installed is dut.Driver's.
func (d Driver) Installed() (string, error) { return d.Version, nil }

// values fill the configuration.
type values struct {
	N3, N6         string // devices
	N4Addr, N3Addr netip.Addr
	Mode           string
	Pool           netip.Prefix
	Sessions       int
	API            netip.AddrPort
}

// modes are the datapath's for those of the DUT.
var modes = map[string]string{"xdp": "native", "xdp-generic": "generic"}

// program is upflab itself, or the one of an image.
func program(info dut.Info, env dut.Env) ([]string, error) {
	if env.Image != nil {
		return env.Find(info, "upflab")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find upflab's own program: %w", err)
	}
	return []string{self}, nil
}

// Start is dut.Driver's.
func (d Driver) Start(ctx context.Context, env dut.Env) (dut.Instance, error) {
	self, err := program(d.Info(), env)
	if err != nil {
		return nil, err
	}
	t := env.Site
	mode, remarks := modes[env.Mode], []string(nil)
	if mode == "native" && !site.NativeXDP(t) {
		mode, remarks = "generic", []string{"builtin runs in generic XDP here. " + site.NoNativeXDP + "."}
	}
	api := netip.AddrPortFrom(t.Links().UPFN4.Addr, 9080)
	file, err := dut.Render(env.Dir, "upf.yaml", config, values{
		N3: t.Links().UPFN3.Name, N6: t.Links().UPFN6.Name, N4Addr: t.Links().UPFN4.Addr, N3Addr: t.Links().UPFN3.Addr, Mode: mode,
		Pool: env.Scenario.UE.Pool, Sessions: max(env.Scenario.Sessions, 1024), API: api,
	})
	if err != nil {
		return nil, err
	}
	p, err := process.Start(process.Spec{
		Site: t, Image: env.Image, Args: append(self, "upf", "--config", file), Env: []string{fmt.Sprintf("GOMAXPROCS=%d", len(env.CPUs))},
		CPUs: env.CPUs, Log: filepath.Join(env.Dir, "upf.log"),
	})
	if err != nil {
		return nil, err
	}
	return &process.Instance{
		Process: p, Rendered: []string{file}, Counters: (&counters{t, api}).drops,
		At: dut.Endpoint{N4: netip.AddrPortFrom(t.Links().UPFN4.Addr, 8805), Dialect: smf.Standard(),
			NativeXDP: mode == "native", GenericXDP: mode == "generic", Remarks: remarks},
	}, nil
}
