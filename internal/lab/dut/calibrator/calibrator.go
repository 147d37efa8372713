// Package calibrator drives the UPF whose behaviour is known: `upflab upf` with
// the datapath internal/lab/dut/calibrator/impair. Its mode is what it does to packets,
// "loss=0.01,delay=250us".
package calibrator

import (
	"context"
	_ "embed"
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/calibrator/impair"
	"github.com/upflab/upflab/internal/lab/dut/calibrator/n4faults"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

//go:embed upf.yaml.tmpl
var config string

// Driver is dut.Driver for the calibrator.
type Driver struct{ Version string }

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		Name: "calibrator", CheckMode: checkMode, NoIPv6Transport: "its N3 has IPv4",
		Summary: "a UPF of known behaviour, as calibrator:loss=0.01,delay=250us: what upflab is checked with",
		Docs:    "docs/selftest.md", Verified: "tried",
		Remarks: []string{"It polls without pause: its CPU is always busy. What it did to each trial's packets is in ledger.json."},
	}
}

// checkMode takes what Parse reads; the error lists the parameters.
func checkMode(mode string) error {
	_, _, err := Parse(mode)
	return err
}

// Parse reads what a calibrator does to packets and, as n4=KIND, to what it
// answers on N4. The error lists the parameters.
func Parse(mode string) (impair.Plan, n4faults.Kind, error) {
	rest, fault, err := n4faults.Split(mode)
	if err != nil {
		return impair.Plan{}, "", err
	}
	plan, err := impair.Parse(rest)
	return plan, fault, err
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
	Plan           string
	Pool           netip.Prefix
	Sessions       int
	API            netip.AddrPort
}

// spare is how many threads may run at once in addition to the one that polls. With
// fewer, N4 would wait for that one, which does not pause. Nor does a garbage collector
// pause it, unless memory runs out.
const spare = 3

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site. The
// instance's Program is a *Device.
func (d Driver) Start(_ context.Context, env dut.Env) (*dut.Instance, error) {
	self, err := dut.Own(d.Info())
	if err != nil {
		return nil, err
	}
	t := env.Site
	api := netip.AddrPortFrom(t.Links().UPFN4.Addr, 9080)
	file, err := dut.Render(env.Dir, "upf.yaml", config, values{
		N3: t.Links().UPFN3.Name, N6: t.Links().UPFN6.Name, N4Addr: t.Links().UPFN4.Addr, N3Addr: t.Links().UPFN3.Addr, Plan: env.Mode,
		Pool: env.Scenario.UE.Pool, Sessions: max(env.Scenario.Sessions, 1024), API: api,
	})
	if err != nil {
		return nil, err
	}
	p, err := process.Start(process.Spec{
		Site: t, Args: append(self, "upf", "--config", file), Env: []string{fmt.Sprintf("GOMAXPROCS=%d", spare), "GOGC=off", "GOMEMLIMIT=1GiB"},
		CPUs: env.CPUs, Log: filepath.Join(env.Dir, "upf.log"),
	})
	if err != nil {
		return nil, err
	}
	device := &Device{Process: p, testbed: t, api: api, keep: filepath.Join(env.Dir, "ledger.json")}
	return &dut.Instance{
		Program: device, Rendered: []string{file}, Drops: device.drops,
		Endpoint: dut.Endpoint{N4: netip.AddrPortFrom(t.Links().UPFN4.Addr, pfcp.Port), Dialect: smf.Standard(), Polls: true},
	}, nil
}
