package sdcore

import (
	_ "embed"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/lab/dut"
)

//go:embed upf.jsonc.tmpl
var config string

// values fill the configuration.
type values struct {
	Mode     string
	N3, N6   string // devices
	N4       netip.Addr
	DNN      string
	PDRs     int // entries of pdrLookup, for each combination of masks
	QERs     int // entries of appQERLookup and sessionQERLookup
	FARs     int
	HTTPPort int
}

// httpPort is pfcpiface's default.
const httpPort = 8080

// plan works the values out from the scenario.
func plan(env dut.Env) (values, error) {
	s, t := env.Scenario, env.Site
	for key, a := range map[string]netip.Addr{"ue.first": s.UE.First, "n3.upf": s.N3.UPF, "n4.upf": s.N4.UPF} {
		if !a.Is4() {
			return values{}, fmt.Errorf("SD-Core's UPF carries IPv4 only (an IPv6 UE crashes pfcpiface): set %s to an IPv4 address, not %s", key, a)
		}
	}
	// A hash table that is nearly full refuses some entries, which pfcpiface only
	// logs: each gets twice what it needs. Up- and downlink PDRs have masks of their
	// own; a QER has an entry for each direction.
	room := max(2*s.Sessions, 1024)
	return values{
		Mode: env.Mode, N3: t.Links().UPFN3.Name, N6: t.Links().UPFN6.Name, N4: t.Links().UPFN4.Addr, DNN: s.N4.NetworkInstance,
		PDRs: room, QERs: 2 * room, FARs: 2 * room, HTTPPort: httpPort,
	}, nil
}
