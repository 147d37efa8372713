package upgvpp

import (
	"net/netip"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/scenario"
)

// values fill the configuration.
type values struct {
	Mode    string
	CPUs    []int
	Plugins string // the folder with upf_plugin.so
	HeapMB  int
	Buffer  int // octets of data in a packet buffer
	Flows   int
	Network string // the network instance of N3 and N6
	N3      port
	N4      port
	N6      port
}

// port is one of the UPF's, as VPP names and configures it.
type port struct {
	Name    string // in VPP
	Device  string // of the kernel
	PCI     string // where DPDK has it
	Table   int    // of routes for what it receives
	MAC     string
	Address netip.Prefix
	Peer    netip.Addr   // the next hop
	Peers   []netip.Addr // all addresses of the peer
	PeerMAC string
}

// RuntimeDir is the folder of VPP's sockets.
func (v values) RuntimeDir() string { return runtimeDir }

// Ports are all of them.
func (v values) Ports() []port { return []port{v.N4, v.N3, v.N6} }

// Main is the CPU of VPP's main thread, which does all where there is only one.
func (v values) Main() int { return v.CPUs[0] }

// Workers are the CPUs of its worker threads.
func (v values) Workers() []int { return v.CPUs[1:] }

// The routing tables. Uplink packets leave by a table of their own, 201, so that
// one for another UE is not turned back inside.
const (
	tableN4 = 0
	tableN3 = 100
	tableN6 = 200
)

const (
	// minFlows keeps room for flows where sessions are few.
	minFlows = 100_000
	// flowsPerSession: each direction of each stream makes one at most.
	flowsPerSession = 4
	// baseHeapMB is VPP's own default.
	baseHeapMB = 1024
	// heapPerSession in octets: 60 000 sessions took some 1.6 KB each of memory that
	// VPP had touched (v2.0.0). The rest is room for rules and flows that grow.
	heapPerSession = 16 << 10
	// overhead in octets of a frame around the payload of its inner packet, and
	// of a buffer around a frame.
	overhead = 256
)

// plan works out what the configuration says.
func plan(env dut.Env) values {
	s, t := env.Scenario, env.Site
	v := values{
		Mode: env.Mode, CPUs: env.CPUs, Network: s.N4.NetworkInstance,
		Flows:  flows(s),
		HeapMB: heapMB(s.Sessions),
		Buffer: bufferSize(s.LargestPayload()),
		N3:     newPort(env.Mode, "n3", tableN3, t.Links().UPFN3, t.Links().GNB),
		N6:     newPort(env.Mode, "n6", tableN6, t.Links().UPFN6, t.Links().DNN6),
		N4:     newPort(afPacket, "n4", tableN4, t.Links().UPFN4, t.Links().SMFN4),
	}
	return v
}

// findPCI looks up where DPDK has the ports.
func (v *values) findPCI(t site.Site) (err error) {
	if v.N3.PCI, err = pciAddress(t.Links().UPFN3); err != nil {
		return err
	}
	v.N6.PCI, err = pciAddress(t.Links().UPFN6)
	return err
}

// flows are how many VPP is to make room for, in each of its threads.
func flows(s *scenario.Scenario) int { return max(minFlows, flowsPerSession*s.Sessions) }

// heapMB is the size of VPP's memory.
func heapMB(sessions int) int { return baseHeapMB + sessions*heapPerSession>>20 }

// newPort names a port as VPP will.
func newPort(mode, point string, table int, upf, peer netdev.Port) port {
	p := port{
		Name: point, Table: table, Device: upf.Name, MAC: upf.MAC.String(),
		Address: netip.PrefixFrom(upf.Addr, upf.Prefix), Peer: peer.Addr, Peers: peer.Addrs(), PeerMAC: peer.MAC.String(),
	}
	if mode == afPacket {
		p.Name = "host-" + upf.Name // it cannot be chosen
	}
	return p
}

// bufferSize holds a whole frame, which AF_XDP needs, and is VPP's default where
// that does.
func bufferSize(payload int) int {
	const step = 64 // a cache line
	return max(2048, (payload+overhead+step-1)/step*step)
}

// render writes startup.conf and the commands that follow.
func (v values) render(dir string) ([]string, error) {
	var files []string
	for _, f := range []struct{ name, template string }{{"startup.conf", startup}, {"init.vpp", commands}} {
		path, err := dut.Render(dir, f.name, f.template, v)
		if err != nil {
			return nil, err
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return files, nil
}
