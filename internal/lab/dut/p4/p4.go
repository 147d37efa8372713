// Package p4 drives the P4 UPF: UP4, a P4 program, in a switch, and pfcpiface, which
// programs it over P4Runtime: https://github.com/omec-project/up4
package p4

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/p4/p4rt"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// The modes.
const (
	bmv2     = "bmv2"     // the behavioural model, a program
	external = "external" // a hardware switch
)

// Driver is dut.Driver for UP4.
type Driver struct{}

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		NoIPv6UEs:       "UP4 carries IPv4 only",
		NoIPv6Transport: "UP4 carries IPv4 only",
		Doctor:          doctor, Defects: defects,
		Name: "p4", Dialect: "up4", Modes: []string{bmv2, external},
		Page:    "docs/duts/p4.md#install",
		Summary: "UP4, the P4 UPF, on the software switch BMv2: a functional reference, never P4's performance",
		Docs: "https://github.com/omec-project/up4, https://github.com/p4lang/behavioral-model and " +
			"https://github.com/omec-project/upf (v2.1.1)",
		Verified: "bmv2 tried, BMv2 1.15.5, pfcpiface 2.1.1, UP4 of 2022-08, 2026-11-21; external: configuration only",
		Remarks: []string{
			"A functional reference, never P4's performance: BMv2 interprets the P4 program packet by packet on a " +
				"CPU. Its rates and latencies are not those of P4, which is a hardware switch at line rate.",
		},
	}
}

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) {
	p, err := find(d.Info())
	if err != nil {
		return "", err
	}
	return p.version()
}

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	programs, err := find(d.Info())
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
	if env.Mode == external {
		return nil, fmt.Errorf("p4:external is configuration only: %s is written for pfcpiface v2.1.1 and the switch at %s. Start both by "+
			"their own guides (%s), or a switch that has a PFCP agent, and measure it as --dut external with dialect up4",
			file, v.Server, d.Info().Docs)
	}
	if env.Elsewhere {
		return nil, errors.New("what p4:bmv2 is configured by cannot be taken elsewhere: upflab writes entries of " +
			"the switch's tables while it runs")
	}
	program, files, err := loadProgram(programs, cells(env.Scenario.Sessions), env.Dir)
	if err != nil {
		return nil, err
	}
	if err := env.Site.Provide(site.Needs{SilentKernel: true}); err != nil {
		return nil, err
	}
	return start(ctx, starter{env: env, programs: programs, config: file, program: program}, append(files, file))
}

func start(ctx context.Context, s starter, files []string) (_ *dut.Instance, err error) {
	t := s.env.Site
	if s.bmv2, err = p4rt.New(netip.AddrPortFrom(loopback, grpcPort).String(), deviceID, t.UPF().Dial); err != nil {
		return nil, err
	}
	parts, err := s.parts()
	if err != nil {
		return nil, errors.Join(err, s.bmv2.Close())
	}
	group, err := process.StartGroup(ctx, process.GroupSpec{Site: t, Parts: parts, Dir: s.env.Dir})
	if err != nil {
		return nil, errors.Join(err, s.bmv2.Close())
	}
	p, err := learn(s, group)
	if err != nil {
		return nil, err
	}
	return &dut.Instance{Program: p, Rendered: files, Endpoint: endpoint(t), Drops: p.counters.drops}, nil
}

func endpoint(t site.Site) dut.Endpoint {
	dialect := smf.UP4()
	dialect.SessionsPerAssociation = 0 // the program is enlarged
	return dut.Endpoint{N4: netip.AddrPortFrom(t.Links().UPFN4.Addr, pfcp.Port), Dialect: dialect}
}

func logOf(env dut.Env, name string) string { return filepath.Join(env.Dir, name+".log") }
