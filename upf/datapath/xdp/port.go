package xdp

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/cilium/ebpf"
)

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
