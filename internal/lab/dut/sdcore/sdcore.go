// Package sdcore drives the UPF of Aether SD-Core: BESS, a poll-mode pipeline, and
// pfcpiface, which programs it: https://github.com/omec-project/upf
package sdcore

import (
	"context"
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/dut/sdcore/bess"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// The modes, by SD-Core's own names.
const (
	afPacket = "af_packet"
	afXDP    = "af_xdp"
	dpdk     = "dpdk"
)

// Driver is dut.Driver for SD-Core's UPF.
type Driver struct{}

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		NoIPv6UEs:       "it carries IPv4 only, and a UE with IPv6 crashes its pfcpiface",
		NoIPv6Transport: "it carries IPv4 only",
		Doctor:          doctor, Defects: defects,
		Name: "sdcore", Dialect: "sdcore", Modes: []string{afPacket, afXDP, dpdk},
		Page:      "docs/duts/sdcore.md#install",
		Contained: true, Several: true,
		Published: dut.Published{Image: "docker.io/omecproject/upf-epc-bess:rel-2.1.2",
			Control: "docker.io/omecproject/upf-epc-pfcpiface:rel-2.1.2"},
		Summary:  "SD-Core UPF: BESS, which polls packet sockets, AF_XDP or DPDK ports, with pfcpiface",
		Docs:     "https://github.com/omec-project/upf (docs/INSTALL.md)",
		Verified: "af_packet and af_xdp tried, pfcpiface 2.5.1-dev with BESS 1.0.1-104, 2026-11-21; dpdk: configuration only",
		Remarks: []string{
			"BESS polls: its CPU is always busy. Read its useful share, not its CPU time.",
			"SD-Core runs with one worker, its own default: throughput is that of one CPU.",
			"BESS's memory is in pages of 4 KiB here (bessd -m 0); SD-Core on DPDK has huge pages.",
		},
	}
}

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) {
	i, err := find(d.Info())
	if err != nil {
		return "", err
	}
	return i.version()
}

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	programs, err := programsFor(env, d.Info())
	if err != nil {
		return nil, err
	}
	v, err := plan(env)
	if err != nil {
		return nil, err
	}
	file, err := dut.Render(env.Dir, "upf.jsonc", config, v)
	if err != nil {
		return nil, err
	}
	if env.Mode == dpdk {
		return nil, fmt.Errorf("sdcore:dpdk is configuration only: %s is written, but BESS needs ports bound to vfio-pci, "+
			"which a testbed does not have: start it by its own guide (%s) and measure it as --dut external", file, d.Info().Docs)
	}
	t := env.Site
	if err := t.Provide(needs(t)); err != nil {
		return nil, err
	}
	client, err := bess.New(fmt.Sprintf("127.0.0.1:%d", bess.Port), t.UPF().Dial)
	if err != nil {
		return nil, err
	}
	s := starter{env: env, programs: programs, config: file, bess: client}
	group, err := process.StartGroup(ctx, process.GroupSpec{Site: t, Parts: s.parts(), PIDNamespace: env.Image == nil, Dir: env.Dir})
	if err != nil {
		client.Close()
		return nil, err
	}
	i := &dut.Instance{Rendered: []string{file}, Endpoint: endpoint(env.Mode, t)}
	return i, learn(ctx, env, i, &program{Group: group, bess: client, bessLog: filepath.Join(env.Dir, "bessd.log")})
}

func endpoint(mode string, t site.Site) dut.Endpoint {
	e := dut.Endpoint{N4: netip.AddrPortFrom(t.Links().UPFN4.Addr, pfcp.Port), Dialect: smf.SDCore(), Polls: true}
	if mode == afXDP {
		e.XDP = dut.NativeXDP
	}
	return e
}

// needs is what BESS wants of the namespace. Its packet sockets see each frame
// together with the kernel; and route_control takes only routes with a gateway, so
// each gNB gets one to itself.
func needs(t site.Site) site.Needs {
	n := site.Needs{SilentKernel: true}
	for _, gnb := range t.Links().GNB.Addrs() {
		n.Routes = append(n.Routes, netdev.Route{To: netip.PrefixFrom(gnb, gnb.BitLen()), Via: gnb, Device: t.Links().UPFN3.Name})
	}
	return n
}
