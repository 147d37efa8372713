package free5gc

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/text/safefile"
	"github.com/upflab/upflab/internal/text/units"
)

//go:embed init.sh.tmpl
var initScript string

// initValues fill the guest's first program.
type initValues struct {
	Module, Config, Counters string // files
	Command                  []string
	Ports                    []guestPort
	Gateway                  netip.Addr
	Pool                     netip.Prefix
}

// guestPort describes a port of the guest, which replaces the port of the testbed.
type guestPort struct {
	Device  string
	MAC     net.HardwareAddr
	MTU     int
	Addr    netip.Prefix
	Peers   []netip.Addr
	PeerMAC net.HardwareAddr
}

// ports are the guest's, in the order of its devices.
func ports(env dut.Env) []guestPort {
	t := env.Site
	var list []guestPort
	for i, p := range []struct {
		upf, peer netdev.Port
		mtu       int
	}{{t.Links().UPFN3, t.Links().GNB, env.Scenario.MTU}, {t.Links().UPFN6, t.Links().DNN6, env.Scenario.MTU},
		{t.Links().UPFN4, t.Links().SMFN4, 1500}} {
		list = append(list, guestPort{Device: fmt.Sprintf("vec%d", i), MAC: p.upf.MAC, MTU: p.mtu,
			Addr: netip.PrefixFrom(p.upf.Addr, p.upf.Prefix), Peers: p.peer.Addrs(), PeerMAC: p.peer.MAC})
	}
	return list
}

// renderInit writes the guest's first program and gives its path.
func renderInit(env dut.Env, v initValues) (string, error) {
	v.Ports, v.Gateway, v.Pool = ports(env), env.Site.Links().DNN6.Addr, env.Scenario.UE.Pool.Masked()
	t, err := template.New("init.sh").Funcs(template.FuncMap{"quote": quote}).Parse(initScript)
	if err != nil {
		return "", fmt.Errorf("template of the guest's init.sh: %w", err)
	}
	var text strings.Builder
	if err := t.Execute(&text, v); err != nil {
		return "", fmt.Errorf("render the guest's init.sh: %w", err)
	}
	path := filepath.Join(env.Dir, "init.sh")
	if err := safefile.Write(path, []byte(text.String()), 0o755); err != nil {
		return "", fmt.Errorf("write the guest's first program: %w", err)
	}
	return path, nil
}

// quote makes one word of a text for the shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// startGuest runs both in a kernel of their own.
func startGuest(ctx context.Context, env dut.Env, command []string, file string) (*dut.Instance, error) {
	files, err := findGuest()
	if err != nil {
		return nil, err
	}
	v := initValues{Module: files.module, Config: file, Counters: filepath.Join(env.Dir, "guest.counters"), Command: command}
	// Those of an earlier visit would say that this guest has booted.
	if err := os.Remove(v.Counters); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the last guest's counters: %w", err)
	}
	script, err := renderInit(env, v)
	if err != nil {
		return nil, err
	}
	t := env.Site
	if err := t.Provide(site.Needs{SilentKernel: true, SilentN4: true}); err != nil {
		return nil, err
	}
	kernel := process.Guest{Kernel: files.kernel, Init: script, MemoryMiB: memory(env.Scenario.Sessions), MTU: env.Scenario.MTU,
		Ports: []string{t.Links().UPFN3.Name, t.Links().UPFN6.Name, t.Links().UPFN4.Name}}
	spec := kernel.Spec(t)
	spec.CPUs, spec.Log, spec.Dir = env.CPUs, filepath.Join(env.Dir, "guest.log"), env.Dir
	group, err := process.StartGroup(ctx, process.GroupSpec{
		Site: t, Dir: env.Dir, PIDNamespace: true, Parts: []process.Part{{Name: "guest", Spec: spec}}})
	if err != nil {
		return nil, err
	}
	g := &guest{Group: group}
	counters, err := g.learn(ctx, t, v.Counters)
	if err != nil {
		return nil, errors.Join(err, g.Stop())
	}
	return &dut.Instance{Program: g, Rendered: []string{file, script}, Endpoint: endpoint(env), Drops: counters.drops}, nil
}

// memory of the guest in MiB: 512 hold some 20 000 sessions.
func memory(sessions int) int { return 512 + sessions/40 }

// guest is a running guest that can be asked for its counters.
type guest struct {
	*process.Group
	sockets *telemetry.PacketSockets
}

// readyWithin is how long the guest may take to boot and go-upf to make its device.
const readyWithin = 15 * time.Second

// learn waits until the guest can be asked and has its ports.
func (g *guest) learn(ctx context.Context, t site.Site, file string) (*guestCounters, error) {
	if err := g.booted(ctx, file); err != nil {
		return nil, err
	}
	pid := g.PID("guest")
	var err error
	if g.sockets, err = telemetry.OpenPacketSockets(pid); err != nil {
		return nil, err
	}
	return &guestCounters{
		console: process.Console{Site: t, PID: pid}, file: file,
		sockets: g.sockets, points: map[int]string{t.Links().UPFN3.Index: "N3", t.Links().UPFN6.Index: "N6"},
	}, g.sockets.IgnoreOutgoing()
}

// booted waits until gtp5g's device is there: the guest writes its first counters then.
func (g *guest) booted(ctx context.Context, file string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
		select {
		case <-g.Exited():
			return fmt.Errorf("%s; it last said: %q", g.Status(), units.LastLine(g.LogTail()))
		case <-ctx.Done():
			err := dut.Late(fmt.Errorf("the guest has not started go-upf within %v; it last said: %q", readyWithin, units.LastLine(g.LogTail())))
			if why := starved("/proc", g.PID("guest")); why != "" {
				err = fmt.Errorf("%w; %s", err, why)
			}
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop closes what upflab reads the packet sockets by, and ends the guest.
func (g *guest) Stop() error {
	return errors.Join(g.sockets.Close(), g.Group.Stop())
}
