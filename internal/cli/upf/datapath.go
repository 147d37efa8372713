package upf

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut/calibrator"
	"github.com/upflab/upflab/upf"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/afpacket"
	"github.com/upflab/upflab/upf/datapath/tun"
	"github.com/upflab/upflab/upf/datapath/xdp"
)

// otherKinds are the datapaths of `upflab upf` that the UPF's library does not have.
func otherKinds() []upf.Kind { return []upf.Kind{calibrator.Kind()} }

// kinds are all datapaths of `upflab upf`.
func kinds() []upf.Kind {
	return append([]upf.Kind{
		{Name: "xdp", Open: openXDP},
		{Name: "afpacket", Open: openAFPacket},
		{Name: "tun", Open: openTUN},
		{Name: "tap", Open: openTUN},
	}, otherKinds()...)
}

// openDatapath opens the datapath that a configuration names.
func openDatapath(cfg upf.Config) (datapath.Datapath, error) {
	for _, k := range kinds() {
		if k.Name == cfg.Datapath.Kind {
			return k.Open(cfg)
		}
	}
	return nil, fmt.Errorf("datapath.kind: there is no %q", cfg.Datapath.Kind)
}

func openAFPacket(cfg upf.Config) (datapath.Datapath, error) {
	return afpacket.Open(afpacket.Config{
		N3: cfg.N3.Interface, N6: cfg.N6.Interface, N3Address: cfg.N3.Address, N3Address6: cfg.N3.Address6, N6Tunnels: cfg.N6.Tunnels(),
		MaxSessions: cfg.MaxSessions, UEPools: cfg.UEPools, Workers: cfg.Datapath.Workers, AllowNested: cfg.Allow.NestedGTP, NoECN: cfg.NoECN,
	})
}

func openTUN(cfg upf.Config) (datapath.Datapath, error) {
	return tun.Open(tun.Config{
		N3: cfg.N3.Interface, N6: cfg.N6.Interface, N3Address: cfg.N3.Address, N3Address6: cfg.N3.Address6, N6Tunnels: cfg.N6.Tunnels(),
		MaxSessions: cfg.MaxSessions, UEPools: cfg.UEPools, Device: cfg.Datapath.Device, Ethernet: cfg.Datapath.Kind == "tap",
		Workers: cfg.Datapath.Workers, AllowNested: cfg.Allow.NestedGTP,
		PlainN3: cfg.Allow.PlainN3, PlainN6: cfg.Allow.PlainN6, NoECN: cfg.NoECN,
	})
}

func openXDP(cfg upf.Config) (datapath.Datapath, error) {
	n4, err := n4Of(cfg.N4)
	if err != nil {
		return nil, err
	}
	return xdp.Open(xdp.Config{
		N3: cfg.N3.Interface, N6: cfg.N6.Interface, N3Address: cfg.N3.Address, N3Address6: cfg.N3.Address6, N6Tunnels: cfg.N6.Tunnels(),
		MaxSessions: cfg.MaxSessions, Mode: xdp.Mode(cfg.Datapath.Mode), UEPools: cfg.UEPools, N4: n4,
		Pins: cfg.State.Pins(), CPUs: cfg.Datapath.CPUs, NoECN: cfg.NoECN,
		Allow: xdp.Allow{
			Local: cfg.Allow.Local, Interfaces: cfg.Allow.Interfaces,
			PlainN3: cfg.Allow.PlainN3, PlainN6: cfg.Allow.PlainN6, Nested: cfg.Allow.NestedGTP,
		},
	})
}

// n4Of says where the datapath lets PFCP in.
func n4Of(n4 upf.N4) (xdp.N4, error) {
	if n4.Interface == upf.AnyInterface {
		return xdp.N4{}, nil
	}
	device, err := n4.Device()
	return xdp.N4{Address: n4.Address, Interface: device}, err
}
