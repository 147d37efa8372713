package xdp

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/xdp/pin"
)

// attachment is the programs on their ports, all in one mode, and what of them outlives the process.
type attachment struct {
	ports   []port
	links   []link.Link
	mode    Mode
	refusal error // why not native, when mode is a fallback
	wanted  Mode  // of the configuration
	pins    pin.Folder
	taken   func()      // called when packets of all ports meet these programs
	started bool        // Start has taken over
	left    atomic.Bool // Close leaves what is pinned
}

// port is an interface and the program that goes on it, which is the one that forwards
// where packets are not spread.
type port struct {
	name    string
	index   int
	program *ebpf.Program
	forward *ebpf.Program
}

// findPorts looks up N3 and N6; one port when they are the same.
func findPorts(cfg Config) ([]port, error) {
	names := []string{cfg.N3, cfg.N6}
	if cfg.N3 == cfg.N6 {
		names = names[:1]
	}
	var ports []port
	for _, name := range names {
		ifc, err := net.InterfaceByName(name)
		if err != nil {
			return nil, fmt.Errorf("xdp: find interface %q in this network namespace: %w: see ip link", name, err)
		}
		if err := checkForwarding(name); err != nil {
			return nil, err
		}
		ports = append(ports, port{name: name, index: ifc.Index})
	}
	return ports, nil
}

// checkForwarding catches the fault that would drop every packet: without
// forwarding the kernel's FIB answers nothing.
func checkForwarding(name string) error {
	path := filepath.Join("/proc/sys/net/ipv4/conf", name, "forwarding")
	value, err := os.ReadFile(path)
	if err != nil || strings.TrimSpace(string(value)) != "0" {
		return nil
	}
	return fmt.Errorf("xdp: IPv4 forwarding is off on %s: echo 1 > %s", name, path)
}

func bindPrograms(ports []port, o *upfObjects, spread bool) []port {
	forward := []*ebpf.Program{o.UpfN3, o.UpfN6}
	if len(ports) == 1 {
		forward = []*ebpf.Program{o.UpfN3n6}
	}
	for i := range ports {
		ports[i].forward, ports[i].program = forward[i], forward[i]
		if spread {
			ports[i].program = []*ebpf.Program{o.SpreadN3, o.SpreadN6}[i]
		}
	}
	return ports
}

// attach puts the programs on the ports, all in one mode: a native program
// cannot redirect to a driver that has no native XDP.
func (a *attachment) attach(mode Mode) error {
	first := mode
	if mode == Auto {
		first = Native
	}
	links, err := attachAll(a.ports, first)
	if err != nil && mode == Auto && canFallBack(err) {
		a.refusal, first = err, Generic
		links, err = attachAll(a.ports, first)
	}
	if err != nil {
		return errors.Join(err, a.refusal)
	}
	a.links, a.mode = links, first
	return nil
}

// canFallBack reports whether generic mode may work: the driver refused, and not
// for a reason that holds in both modes.
func canFallBack(err error) bool {
	return !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.EPERM)
}

func attachAll(ports []port, mode Mode) ([]link.Link, error) {
	var links []link.Link
	for _, p := range ports {
		l, err := attachPort(p, mode)
		if err != nil {
			return nil, errors.Join(err, closeLinks(links))
		}
		links = append(links, l)
	}
	return links, nil
}

func attachPort(p port, mode Mode) (link.Link, error) {
	flags := link.XDPDriverMode
	if mode == Generic {
		flags = link.XDPGenericMode
	}
	l, err := link.AttachXDP(link.XDPOptions{Program: p.program, Interface: p.index, Flags: flags})
	switch {
	case errors.Is(err, unix.EBUSY), errors.Is(err, unix.EEXIST):
		return nil, fmt.Errorf("xdp: attach to %s: another XDP program is there: %w: stop its owner, or ip link set dev %s xdp off",
			p.name, err, p.name)
	case errors.Is(err, unix.EPERM):
		return nil, fmt.Errorf("xdp: attach to %s: %w: run as root, or with CAP_NET_ADMIN", p.name, err)
	case err != nil:
		return nil, fmt.Errorf("xdp: attach to %s in %s mode: %w: try mode generic, or a smaller MTU", p.name, mode, err)
	}
	return l, nil
}

func closeLinks(links []link.Link) error {
	var errs []error
	for _, l := range links {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}

// Mode is how the programs are attached: Native or Generic.
func (a *attachment) Mode() Mode { return a.mode }

// FallbackReason is why Auto took Generic; nil otherwise.
func (a *attachment) FallbackReason() error { return a.refusal }

// Program names an attached program, for whoever reads its statistics.
type Program struct {
	Interface string
	ID        ebpf.ProgramID
}

// Programs lists what is attached, N3 first.
func (a *attachment) Programs() ([]Program, error) {
	var all []Program
	for _, p := range a.ports {
		info, err := p.program.Info()
		if err != nil {
			return nil, fmt.Errorf("xdp: read the program on %s: %w", p.name, err)
		}
		id, ok := info.ID()
		if !ok {
			return nil, errors.New("xdp: the kernel gives no program IDs: Linux 4.13 or later is needed")
		}
		all = append(all, Program{Interface: p.name, ID: id})
	}
	return all, nil
}

// Start implements datapath.Persistent. Without Config.Pins, Open has attached the programs
// already. Those of an earlier process are replaced at each port at once: every packet
// meets the old or the new ones.
func (a *attachment) Start() error {
	if !a.pins.Used() {
		return nil
	}
	modes := []string{string(a.wanted)}
	if a.wanted == Auto {
		modes = []string{string(Native), string(Generic)}
	}
	before, mode := a.pins.Links(a.indices(), modes...)
	if err := a.pins.DetachOthers(before); err != nil {
		return fmt.Errorf("xdp: detach the programs of an earlier process: %w", err)
	}
	if before == nil {
		return a.attachPinned()
	}
	a.mode = Mode(mode)
	for i, l := range before {
		a.links = append(a.links, l.Link)
		if err := l.Link.Update(a.ports[i].program); err != nil {
			return fmt.Errorf("xdp: take %s over from an earlier process: %w", a.ports[i].name, err)
		}
	}
	a.taken()
	a.started = true
	return nil
}

// indices are those of the ports.
func (a *attachment) indices() (list []int) {
	for _, p := range a.ports {
		list = append(list, p.index)
	}
	return list
}

func (a *attachment) attachPinned() error {
	if err := a.attach(a.wanted); err != nil {
		return err
	}
	for i, l := range a.links {
		if err := l.Pin(a.pins.LinkPath(a.ports[i].index, string(a.mode))); err != nil {
			return fmt.Errorf("xdp: pin the program of %s: %w", a.ports[i].name, err)
		}
	}
	a.taken()
	a.started = true
	return nil
}

// Leave implements datapath.Persistent.
func (a *attachment) Leave() { a.left.Store(true) }

// closePins ends what is pinned, unless it is to be left, or is still an earlier
// process's.
func (a *attachment) closePins() error {
	if a.pins.Names != nil {
		a.pins.Names.Close()
	}
	if !a.pins.Used() || a.left.Load() || !a.started {
		return nil
	}
	return a.pins.Clear()
}
