// Package spgwu drives openair-spgwu-tiny, OpenAirInterface's older user plane:
// https://github.com/OPENAIRINTERFACE/openair-spgwu-tiny
package spgwu

import (
	"context"
	_ "embed"
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/scenario"
)

//go:embed spgw_u.conf.tmpl
var config string

// Driver is dut.Driver for openair-spgwu-tiny.
type Driver struct{}

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		Doctor: doctor, Defects: defects,
		Name: "spgwu", Dialect: "spgwu-tiny", Contained: true, MaxSessions: maxSessions,
		Published: dut.Published{Image: "docker.io/oaisoftwarealliance/oai-spgwu-tiny:v1.5.1", Program: "/openair-spgwu-tiny/bin/oai_spgwu"},
		Summary:   "openair-spgwu-tiny: UDP sockets and a TUN device",
		Docs:      "https://github.com/OPENAIRINTERFACE/openair-spgwu-tiny",
		Verified:  "configuration only",
		Remarks:   []string{"openair-spgwu-tiny's configuration is made from its sources; upflab has not been run with it."},
	}
}

// Installed implements dut.Driver: it gives the version that is installed here. Its program does not
// report its version.
func (d Driver) Installed() (string, error) {
	_, path, err := dut.Find(d.Info(), "oai_spgwu")
	if err != nil {
		return "", err
	}
	return dut.GoVersion(path), nil
}

// maxSessions is the size of its tables, fixed when it is compiled: 1024 sessions,
// and 1024 PDRs of each direction.
const maxSessions = 1024

// values fill the configuration.
type values struct {
	Dir        string
	N3, N4, N6 string // devices
	SMF        netip.Addr
	Pool       netip.Prefix
	DNN        string
}

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	command, err := env.Find(d.Info(), "oai_spgwu")
	if err != nil {
		return nil, err
	}
	if err := check(env.Scenario); err != nil {
		return nil, err
	}
	t := env.Site
	file, err := dut.Render(env.Dir, "spgw_u.conf", config, values{
		Dir: env.Dir, N3: t.Links().UPFN3.Name, N4: t.Links().UPFN4.Name, N6: t.Links().UPFN6.Name,
		SMF: t.Links().SMFN4.Addr, Pool: env.Scenario.UE.Pool.Masked(), DNN: env.Scenario.N4.NetworkInstance,
	})
	if err != nil {
		return nil, err
	}
	p, err := process.Start(process.Spec{
		Site: t, Image: env.Image, Args: append(command, "-c", file, "-o"),
		CPUs: env.CPUs, Log: filepath.Join(env.Dir, "spgwu.log"), Dir: env.Dir,
	})
	if err != nil {
		return nil, err
	}
	at := dut.Endpoint{N4: netip.AddrPortFrom(t.Links().UPFN4.Addr, pfcp.Port), Dialect: smf.SPGWUTiny()}
	return &dut.Instance{Program: p, Rendered: []string{file}, Endpoint: at}, nil
}

// check refuses what the sources do not do.
func check(s *scenario.Scenario) error {
	if s.Sessions > maxSessions {
		return fmt.Errorf("openair-spgwu-tiny's tables hold %d sessions, not %d: set sessions=%d or less", maxSessions, s.Sessions, maxSessions)
	}
	if s.TEID.Assign == scenario.AssignSMF {
		return fmt.Errorf("openair-spgwu-tiny rejects F-TEIDs that the SMF assigns: set teid.assign to auto or upf")
	}
	if !s.UE.First.Is4() {
		return fmt.Errorf("openair-spgwu-tiny takes IPv4 UEs only: set ue.first to an IPv4 address, not %s", s.UE.First)
	}
	if own := s.UE.Pool.Masked().Addr().Next(); s.UE.First == own {
		return fmt.Errorf("openair-spgwu-tiny gives tun0 the first address of the UE pool, %s: set ue.first to %s", own, own.Next())
	}
	return nil
}
