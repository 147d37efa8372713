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

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/dut/process"
	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/safefile"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/telemetry"
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

// guestPort is a port of the guest, which takes the place of the testbed's.
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
	}{{t.Links().UPFN3, t.Links().GNB, env.Scenario.MTU}, {t.Links().UPFN6, t.Links().DNN6, env.Scenario.MTU}, {t.Links().UPFN4, t.Links().SMFN4, 1500}} {
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
func startGuest(ctx context.Context, env dut.Env, command []string, file string) (dut.Instance, error) {
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
	guest := process.Guest{Kernel: files.kernel, Init: script, MemoryMiB: memory(env.Scenario.Sessions), MTU: env.Scenario.MTU,
		Ports: []string{t.Links().UPFN3.Name, t.Links().UPFN6.Name, t.Links().UPFN4.Name}}
	spec := guest.Spec(t)
	spec.CPUs, spec.Log, spec.Dir = env.CPUs, filepath.Join(env.Dir, "guest.log"), env.Dir
	group, err := process.StartGroup(ctx, process.GroupSpec{
		Site: t, Dir: env.Dir, PIDNamespace: true, Parts: []process.Part{{Name: "guest", Spec: spec}}})
	if err != nil {
		return nil, err
	}
	i := &instance{GroupInstance: &process.GroupInstance{Group: group, Rendered: []string{file, script}, At: endpoint(env)}}
	if err := i.learn(ctx, t, v.Counters); err != nil {
		return nil, errors.Join(err, i.Stop())
	}
	return i, nil
}

// memory of the guest in MiB: 512 hold some 20 000 sessions.
func memory(sessions int) int { return 512 + sessions/40 }

// instance is a guest that can be asked for its counters.
type instance struct {
	*process.GroupInstance
	sockets *telemetry.PacketSockets
}

// readyWithin is how long the guest may take to boot and go-upf to make its device.
const readyWithin = 15 * time.Second

// learn waits until the guest can be asked and has its ports.
func (i *instance) learn(ctx context.Context, t site.Site, file string) error {
	pid := i.PID("guest")
	c := &guestCounters{console: process.Console{Site: t, PID: pid}, file: file}
	if err := i.booted(ctx, file); err != nil {
		return err
	}
	var err error
	if i.sockets, err = telemetry.OpenPacketSockets(pid); err != nil {
		return err
	}
	if err := i.sockets.IgnoreOutgoing(); err != nil {
		return err
	}
	c.sockets, c.points = i.sockets, map[int]string{t.Links().UPFN3.Index: "N3", t.Links().UPFN6.Index: "N6"}
	i.Counters = c.drops
	return nil
}

// booted waits until gtp5g's device is there: the guest writes its first counters then.
func (i *instance) booted(ctx context.Context, file string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
		select {
		case <-i.Exited():
			return fmt.Errorf("%s; it last said: %q", i.Status(), process.LastLine(i.LogTail()))
		case <-ctx.Done():
			err := fmt.Errorf("the guest has not started go-upf within %v; it last said: %q", readyWithin, process.LastLine(i.LogTail()))
			if why := starved("/proc", i.PID("guest")); why != "" {
				err = fmt.Errorf("%w; %s", err, why)
			}
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop is dut.Instance's.
func (i *instance) Stop() error {
	var err error
	if i.sockets != nil {
		err = i.sockets.Close()
	}
	return errors.Join(err, i.GroupInstance.Stop())
}
