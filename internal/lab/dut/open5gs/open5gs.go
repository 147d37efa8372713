// Package open5gs drives the UPF of Open5GS, one process between a UDP socket
// and a TUN or TAP device: https://open5gs.org
package open5gs

import (
	"context"
	_ "embed"
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/scenario"
)

//go:embed upf.yaml.tmpl
var config string

// Driver is dut.Driver for Open5GS's UPF.
type Driver struct{}

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		Doctor: doctor, Defects: defects,
		Name: "open5gs", Dialect: "open5gs", Modes: []string{"tun", "tap"}, N3Sockets: []string{"tun", "tap"},
		Published: dut.Published{Image: "docker.io/gradiant/open5gs:2.8.0", Program: "/opt/open5gs/bin/open5gs-upfd"},
		Summary:   "Open5GS UPF: a UDP socket and a TUN or TAP device, one thread",
		Docs:      "https://open5gs.org/open5gs/docs/ (guides, then Quickstart or Building)",
		Contained: true,
		Verified:  "tried, v2.8.0", Oldest: "v2.8.0",
		Remarks: []string{
			"Open5GS runs N4, uplink and downlink in one thread.",
			"Open5GS takes the kernel's default socket buffer: the usual net.core.rmem_default of 212992 holds some 50 " +
				"packets of 1400 octets, and uplink bursts are lost below the rate that it could carry.",
			"upflab gives Open5GS's device a queue of 4096 packets (the kernel's default is 500): fewer downlink losses, " +
				"and more delay where it is overloaded.",
			"Open5GS does not enforce MBR, GBR or gates in its data path.",
		},
	}
}

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) {
	_, path, err := dut.Find(d.Info(), "open5gs-upfd")
	if err != nil {
		return "", err
	}
	return version(path)
}

const (
	// defaultMaxUE is Open5GS's own global.max.ue, kept where it is enough.
	defaultMaxUE = 1024
	// sessionsPerUE is how many sessions Open5GS makes room for with each UE.
	sessionsPerUE = 4
	// maxPayload in octets: a packet buffer of 2032 (2048 less the headroom),
	// less the GTP-U header of 16 and the inner IPv4 and UDP headers.
	maxPayload = 2032 - 16 - 28
)

// values fill the configuration.
type values struct {
	MaxUE   int
	N4, N3  netip.Addr
	Pool    netip.Prefix
	Gateway netip.Addr
	DNNs    []string
	Device  string
}

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	command, err := env.Find(d.Info(), "open5gs-upfd")
	if err != nil {
		return nil, err
	}
	v, err := plan(env.Scenario, env.Mode)
	if err != nil {
		return nil, err
	}
	t := env.Site
	v.N4, v.N3 = t.Links().UPFN4.Addr, t.Links().UPFN3.Addr
	file, err := dut.Render(env.Dir, "upf.yaml", config, v)
	if err != nil {
		return nil, err
	}
	dev := device{name: v.Device, mode: netlink.StringToTuntapModeMap[env.Mode], pool: v.Pool, gateway: v.Gateway, mtu: env.Scenario.MTU}
	if err := dev.create(t.UPF()); err != nil {
		return nil, err
	}
	p, err := process.Start(process.Spec{
		Site: t, Image: env.Image, Args: append(command, "-c", file),
		CPUs: env.CPUs, Log: filepath.Join(env.Dir, "open5gs.log"), Dir: env.Dir,
	})
	if err != nil {
		return nil, err
	}
	at := dut.Endpoint{N4: netip.AddrPortFrom(t.Links().UPFN4.Addr, pfcp.Port), Dialect: dialect(v.MaxUE)}
	return &dut.Instance{Program: p, Rendered: []string{file}, Endpoint: at, Accounts: dut.Accounts{Read: dut.MetricsAt(t, 9090).Read, Claims: claims()}}, nil
}

// plan works out from the scenario what does not depend on the testbed.
func plan(s *scenario.Scenario, mode string) (values, error) {
	if largest := s.LargestPayload(); largest > maxPayload {
		return values{}, fmt.Errorf("Open5GS's packet buffers end at a payload of %d octets, not %d: set "+
			"payload=%d or less, or smaller sizes", maxPayload, largest, maxPayload)
	}
	gw, err := gateway(s.UE, s.Sessions)
	if err != nil {
		return values{}, err
	}
	return values{
		MaxUE: max(defaultMaxUE, (s.Sessions+sessionsPerUE-1)/sessionsPerUE),
		Pool:  s.UE.Pool.Masked(), Gateway: gw, DNNs: s.InstancesOf(), Device: "ogs" + mode,
	}, nil
}

// dialect has the session limit that goes with global.max.ue.
func dialect(maxUE int) smf.Dialect {
	d := smf.Open5GS()
	d.SessionsPerAssociation = sessionsPerUE * maxUE
	return d
}

// claims are what Open5GS's metrics count: their names follow TS 28.552.
func claims() []dut.Claim {
	return append(dut.Standard(), dut.Claim{Name: "ep_n3_gtp_indatavolumeqosleveln3upf", Shown: dut.ByPrometheus, Of: dut.OctetsFromN3},
		dut.Claim{Name: "ep_n3_gtp_outdatavolumeqosleveln3upf", Shown: dut.ByPrometheus, Of: dut.OctetsToN3})
}
