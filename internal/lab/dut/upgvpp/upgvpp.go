// Package upgvpp drives UPG-VPP, the UPF that is a plugin of FD.io VPP, which the
// literature also calls VPP-UPF: https://github.com/travelping/upg-vpp
package upgvpp

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

//go:embed startup.conf.tmpl
var startup string

//go:embed init.vpp.tmpl
var commands string

// The modes: how VPP moves frames.
const (
	afPacket = "af_packet"
	afXDP    = "af_xdp"
	dpdk     = "dpdk"
)

// Driver is dut.Driver for UPG-VPP.
type Driver struct{}

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		Doctor: doctor, Defects: defects,
		Name: "upgvpp", Dialect: "upg-vpp", Modes: []string{afPacket, afXDP, dpdk},
		Page:     "docs/duts/upgvpp.md#install",
		Summary:  "UPG-VPP (VPP-UPF): the UPF plugin of FD.io VPP, one polling thread",
		Docs:     "https://github.com/travelping/upg-vpp (README.md)",
		Verified: "tried, v2.0.0 on VPP 24.02: af_packet, af_xdp, 2026-11-21; dpdk: configuration only",
		Remarks: []string{
			"UPG-VPP sends downlink G-PDUs without a PDU session container: 8 octets less on N3 than its peers.",
			"UPG-VPP polls: it takes its whole CPU at any load. Its account of useful work counts what each vector costs, and " +
				"small ones cost more a packet: 60 % at a quarter of its rate.",
		},
	}
}

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) {
	_, path, err := dut.Find(d.Info(), "vpp")
	if err != nil {
		return "", err
	}
	plugin, err := findPlugin(path)
	if err != nil {
		return "", err
	}
	return version(path, plugin)
}

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	command, path, err := dut.Find(d.Info(), "vpp")
	if err != nil {
		return nil, err
	}
	plugin, err := findPlugin(path)
	if err != nil {
		return nil, err
	}
	values := plan(env)
	if env.Mode == dpdk {
		if err := values.findPCI(env.Site); err != nil {
			return nil, err
		}
	}
	values.Plugins = filepath.Dir(plugin)
	files, err := values.render(env.Dir)
	if err != nil {
		return nil, err
	}
	if err := prepare(env.Site, env.Mode); err != nil {
		return nil, err
	}
	p, err := process.Start(process.Spec{
		Site: env.Site, Args: append(command, "-c", files[0]),
		CPUs: env.CPUs, Log: filepath.Join(env.Dir, "vpp.log"), Dir: env.Dir,
		// Private sockets and shared memory keep VPPs of other runs and of this
		// host apart, and leave nothing behind.
		Mounts: []process.Mount{{Type: "tmpfs", Target: "/dev/shm"}},
		ByHand: byHand(path, files[1]),
	})
	if err != nil {
		return nil, err
	}
	v := newVPP(p, env.Site)
	if err := v.configure(ctx, files[1]); err != nil {
		return nil, errors.Join(err, v.Stop())
	}
	return &dut.Instance{Program: v, Rendered: files, Endpoint: endpoint(env), Drops: v.drops, Work: v.work}, nil
}

// byHand is what configure does, by VPP's own program.
func byHand(vpp, commands string) []string {
	vppctl := filepath.Join(filepath.Dir(vpp), "vppctl") + " -s " + cliSocket
	return []string{fmt.Sprintf("until inside %s show version >/dev/null 2>&1; do sleep 0.2; done", vppctl),
		fmt.Sprintf("inside %s exec %s", vppctl, commands)}
}

// hook is where a mode has XDP: VPP's AF_XDP ports have programs in the drivers.
func hook(mode string) dut.XDP {
	if mode == afXDP {
		return dut.NativeXDP
	}
	return dut.NoXDP
}

func endpoint(env dut.Env) dut.Endpoint {
	return dut.Endpoint{
		N4: netip.AddrPortFrom(env.Site.Links().UPFN4.Addr, pfcp.Port), Dialect: smf.UPGVPP(),
		XDP: hook(env.Mode), Polls: true,
	}
}

// prepare makes the UPF's namespace ready for a second network stack: VPP answers for
// the addresses, so the kernel must not have them.
func prepare(t site.Site, mode string) error {
	if err := t.Provide(site.Needs{SilentKernel: mode == afPacket, Sysctls: map[string]string{"ipv4/ip_forward": "0"}}); err != nil {
		return err
	}
	for _, p := range []netdev.Port{t.Links().UPFN3, t.Links().UPFN4, t.Links().UPFN6} {
		if err := flush(p); err != nil {
			return err
		}
	}
	return nil
}
