// Package oai drives OAI-CN5G-UPF, OpenAirInterface's:
// https://github.com/openairinterface/oai-cn5g-upf
package oai

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/scenario"
)

//go:embed config.yaml.tmpl
var config string

// The modes. Simple is what studies call AF_PACKET, though it has UDP sockets.
const (
	simple = "simple"
	xdp    = "xdp"
)

// Driver is dut.Driver for OAI-CN5G-UPF.
type Driver struct{}

// Info implements dut.Driver: it names the UPF, its modes and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		NoIPv6UEs:       "it forwards IPv4 only",
		NoIPv6Transport: "it forwards IPv4 only",
		Doctor:          doctor, Defects: defects,
		Name: "oai", Dialect: "oai", ModeDialects: map[string]string{xdp: "oai-xdp"}, Modes: []string{simple, xdp}, N3Sockets: []string{simple}, Contained: true,
		Published: dut.Published{Image: "docker.io/oaisoftwarealliance/oai-upf:v2.1.0", Program: "/openair-upf/bin/oai_upf"},
		Summary:   "OAI-CN5G-UPF: UDP sockets and a TUN device, or XDP",
		Docs:      "https://github.com/openairinterface/oai-cn5g-upf (docs)",
		Page:      "docs/duts/oai.md#install",
		Verified:  "tried, v2.1.0",
	}
}

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) {
	_, path, err := dut.Find(d.Info(), "oai_upf")
	if err != nil {
		return "", err
	}
	return version(path), nil
}

// built is what its build writes into the program: the commit and its date, where git was there.
var built = regexp.MustCompile(`Abrev\. Hash: ([0-9a-f]{7,40}) Date: \w{3} (\w{3} \d{1,2}) [\d:]{8} (\d{4})`)

// version is the commit that a program was built from, or else what identifies its file. The program has no
// option that tells it, and logs it only once it runs.
func version(path string) string {
	if program, err := os.Open(path); err == nil {
		defer program.Close()
		if v := builtFrom(program); v != "" {
			return v
		}
	}
	return dut.GoVersion(path)
}

// builtFrom looks for what the build wrote, "" where it is not, in the first GiB of a program: some
// are 200 MB. It holds a MiB of it at once.
func builtFrom(program io.Reader) string {
	const most, chunk = 1 << 30, 1 << 20
	const overlap = 128 // more than built matches
	program = io.LimitReader(program, most)
	b := make([]byte, 0, overlap+chunk)
	for {
		n, err := io.ReadFull(program, b[len(b):cap(b)])
		b = b[:len(b)+n]
		if m := built.FindSubmatch(b); m != nil {
			return fmt.Sprintf("%s of %s %s", m[1], m[2], m[3])
		}
		if err != nil {
			return ""
		}
		b = b[:copy(b, b[len(b)-overlap:])]
	}
}

// values fill the configuration.
type values struct {
	Instance        int    // 10 to 99
	N3, N4, N6      string // devices
	N4Addr, SMF, DN netip.Addr
	BPF, DNN        string
	Pool            netip.Prefix
}

// Start implements dut.Driver: it renders the configuration and starts the UPF in the site.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	command, err := env.Find(d.Info(), "oai_upf")
	if err != nil {
		return nil, err
	}
	if err := check(env.Scenario, env.Mode); err != nil {
		return nil, err
	}
	if err := checkPrograms(env); err != nil {
		return nil, err
	}
	instance, lock := process.FreeInstance("/var/run", command[len(command)-1])
	file, err := render(env, instance)
	if err != nil {
		return nil, err
	}
	t := env.Site
	p, err := process.Start(process.Spec{
		Site: t, Image: env.Image, Args: append(command, "-c", file, "-o"),
		CPUs: env.CPUs, Log: filepath.Join(env.Dir, "oai.log"), Dir: env.Dir,
	})
	if err != nil {
		return nil, err
	}
	begun := func() running {
		leaves := statusFiles(p.PIDs())
		if env.Image == nil { // in a container it is the container's
			leaves = append(leaves, lock)
		}
		return running{p, leaves}
	}
	if err := awaitDataPath(ctx, t, p, env.Mode); err != nil {
		return nil, errors.Join(err, begun().Stop())
	}
	at := dut.Endpoint{N4: netip.AddrPortFrom(t.Links().UPFN4.Addr, pfcp.Port), Dialect: smf.OAI()}
	if env.Mode == xdp { // the kernel takes the driver's XDP where there is one
		at.Dialect, at.XDP = smf.OAIXDP(), dut.XDPIn(site.NativeXDP(t))
	}
	return &dut.Instance{Program: begun(), Rendered: []string{file}, Endpoint: at}, nil
}

// running is the UPF, and the files that it leaves outside of its folder.
type running struct {
	*process.Process
	leaves []string
}

// Stop ends the UPF and removes what it has left.
func (r running) Stop() error {
	err := r.Process.Stop()
	for _, file := range r.leaves {
		if gone := os.Remove(file); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// statusFiles are those that the UPF writes to /tmp and never removes, by its PID. One in a container has
// another PID there, and its files go with the container.
func statusFiles(pids []int) (list []string) {
	for _, pid := range pids {
		list = append(list, fmt.Sprintf("/tmp/upf_%d.status", pid))
	}
	return list
}

// render writes its configuration.
func render(env dut.Env, instance int) (file string, err error) {
	t, s := env.Site, env.Scenario
	return dut.Render(env.Dir, "config.yaml", config, values{
		Instance: instance,
		N3:       t.Links().UPFN3.Name, N4: t.Links().UPFN4.Name, N6: t.Links().UPFN6.Name,
		N4Addr: t.Links().UPFN4.Addr, SMF: t.Links().SMFN4.Addr, DN: t.Links().DNN6.Addr,
		BPF: map[string]string{simple: "no", xdp: "yes"}[env.Mode],
		DNN: s.N4.NetworkInstance, Pool: s.UE.Pool.Masked(),
	})
}

// downlinkQFI is compiled into its XDP.
const downlinkQFI = 8

// check refuses what the sources do not do.
func check(s *scenario.Scenario, mode string) error {
	for _, p := range []struct {
		key  string
		addr netip.Addr
	}{{"ue.first", s.UE.First}, {"n3.upf", s.N3.UPF}, {"n4.smf", s.N4.SMF}, {"n6.dn", s.N6.DN}} {
		if !p.addr.Is4() {
			return fmt.Errorf("OAI-CN5G-UPF forwards IPv4 only: set %s to an IPv4 address, not %s", p.key, p.addr)
		}
	}
	if own := s.UE.Pool.Masked().Addr().Next(); mode == simple && s.UE.First == own {
		return fmt.Errorf("OAI-CN5G-UPF gives tun0 the first address of the UE pool, %s: set ue.first to %s", own, own.Next())
	}
	if mode != xdp {
		return nil
	}
	if s.QFI != 0 && s.QFI != downlinkQFI || len(s.QFIs) > 0 {
		return fmt.Errorf("OAI-CN5G-UPF's XDP puts QFI %d on all downlink packets: set qfi=%d, and leave qfis out", downlinkQFI, downlinkQFI)
	}
	if s.Sessions > maxSessions {
		return fmt.Errorf("OAI-CN5G-UPF's XDP has room for %d sessions, not %d: set sessions=%d or less", maxSessions, s.Sessions, maxSessions)
	}
	return checkNeighbours(s)
}
