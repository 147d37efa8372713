package p4

import (
	_ "embed"
	"fmt"
	"net/netip"
	"os"

	"github.com/upflab/upflab/internal/lab/dut"
)

//go:embed upf.jsonc.tmpl
var config string

// values fill pfcpiface's configuration.
type values struct {
	N3, N4   netip.Addr
	Pool     netip.Prefix
	DNN      string
	Server   string // the switch's P4Runtime server
	Port     uint16
	HTTPPort int
}

// httpPort is pfcpiface's default, and grpcPort the one that IANA gave P4Runtime.
const (
	httpPort = 8080
	grpcPort = 9559
)

// switchVariable is where the P4Runtime server of a hardware switch is.
const switchVariable = "UPFLAB_P4_SWITCH"

// server is where the switch of a mode is reached.
func server(mode string) (netip.AddrPort, error) {
	if mode == bmv2 {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), grpcPort), nil
	}
	text := os.Getenv(switchVariable)
	at, err := netip.ParseAddrPort(text)
	if err != nil {
		return at, fmt.Errorf("p4:%s needs %s, the address and port of the switch's P4Runtime server (192.0.2.1:%d), not %q",
			mode, switchVariable, grpcPort, text)
	}
	return at, nil
}

// plan works the values out from the scenario.
func plan(env dut.Env) (values, error) {
	s, t := env.Scenario, env.Site
	for key, a := range map[string]netip.Addr{"ue.first": s.UE.First, "n3.upf": s.N3.UPF, "n4.upf": s.N4.UPF} {
		if !a.Is4() {
			return values{}, fmt.Errorf("UP4 carries IPv4 only: set %s to an IPv4 address, not %s", key, a)
		}
	}
	at, err := server(env.Mode)
	if err != nil {
		return values{}, err
	}
	return values{
		N3: t.Links().UPFN3.Addr, N4: t.Links().UPFN4.Addr, Pool: s.UE.Pool.Masked(), DNN: s.N4.NetworkInstance,
		Server: at.Addr().String(), Port: at.Port(), HTTPPort: httpPort,
	}, nil
}
