// Package free5gc drives free5GC's UPF: go-upf, which speaks PFCP, and the kernel
// module gtp5g, which forwards: https://free5gc.org
//
// Where the module cannot be loaded both run in a User Mode Linux guest.
package free5gc

import (
	"context"
	_ "embed"
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/scenario"
)

//go:embed upfcfg.yaml.tmpl
var config string

// The modes.
const (
	guestMode  = "guest"
	kernelMode = "kernel"
)

// Driver is dut.Driver for free5GC's UPF.
type Driver struct{}

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		NoIPv6UEs:       "its kernel module gtp5g has no IPv6",
		NoIPv6Transport: "its kernel module gtp5g has no IPv6",
		Doctor:          doctor, Defects: defects,
		Name: "free5gc", Dialect: "free5gc", Modes: []string{guestMode, kernelMode},
		Page:     "docs/duts/free5gc.md#install",
		Summary:  "free5GC's go-upf and the kernel module gtp5g; guest: in a User Mode Linux kernel",
		Docs:     "https://github.com/free5gc/go-upf, https://github.com/free5gc/gtp5g and docs/duts/free5gc.md",
		Verified: "tried in a User Mode Linux guest (kernel 6.1.192), go-upf v1.2.12, gtp5g 0.10.2, 2026-11-21; kernel: configuration only",
		Oldest:   "v1.2.12",
		Remarks: []string{
			"In the guest each frame costs one more system call and signal than in a machine's own kernel: the figures are lower " +
				"bounds for free5GC, and cannot be compared with UPFs that run on the host's kernel.",
			"free5GC's UPF does not enforce MBR unless /proc/gtp5g/qos is 1; upflab leaves it at 0.",
		},
	}
}

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) {
	_, path, err := dut.Find(d.Info(), program)
	if err != nil {
		return "", err
	}
	version := dut.GoVersion(path)
	if moduleLoaded() {
		return version, nil
	}
	parts, err := findGuest()
	if err != nil {
		return "", err
	}
	return version + ", gtp5g " + moduleVersion(parts.module), nil
}

// program is what go-upf's own Makefile calls it.
const program = "upf"

// values fill go-upf's configuration.
type values struct {
	N4, N3 netip.Addr
	MTU    int
	DNN    string
	Pool   netip.Prefix
}

// overhead of a downlink G-PDU, octets: IPv4, UDP, and GTP-U with the PDU session
// container.
const overhead = 20 + 8 + 16

// plan works the configuration out.
func plan(env dut.Env) (values, error) {
	s, t := env.Scenario, env.Site
	if s.TEID.Assign == scenario.AssignUPF {
		return values{}, fmt.Errorf("free5GC's UPF chooses no F-TEIDs: asked to, it accepts the session and gives TEID 0: set teid.assign=smf")
	}
	return values{N4: t.Links().UPFN4.Addr, N3: t.Links().UPFN3.Addr, MTU: s.MTU - overhead,
		DNN: s.N4.NetworkInstance, Pool: s.UE.Pool.Masked()}, nil
}

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	command, err := env.Find(d.Info(), program)
	if err != nil {
		return nil, err
	}
	v, err := plan(env)
	if err != nil {
		return nil, err
	}
	if env.Dir, err = filepath.Abs(env.Dir); err != nil { // a guest has its own working directory
		return nil, fmt.Errorf("find the folder of the run: %w", err)
	}
	file, err := dut.Render(env.Dir, "upfcfg.yaml", config, v)
	if err != nil {
		return nil, err
	}
	if env.Mode == kernelMode {
		return startHere(env, command, file)
	}
	return startGuest(ctx, env, command, file)
}

func endpoint(env dut.Env) dut.Endpoint {
	return dut.Endpoint{N4: netip.AddrPortFrom(env.Site.Links().UPFN4.Addr, pfcp.Port), Dialect: smf.Free5GC()}
}
