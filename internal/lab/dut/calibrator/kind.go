package calibrator

import (
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut/calibrator/impair"
	"github.com/upflab/upflab/upf"
	"github.com/upflab/upflab/upf/datapath"
)

// Kind is the calibrator as a datapath for `upflab upf`: datapath.calibrate is its mode.
func Kind() upf.Kind { return upf.Kind{Name: "calibrator", Check: check, Open: open} }

// check refuses what only the library's datapaths carry out.
func check(c upf.Config) (key, problem string) {
	const instead = "or set that to xdp, afpacket, tun or tap"
	switch {
	case c.N3.Address6.IsValid():
		return "n3.address6", "is not supported by datapath.kind calibrator: leave it out, " + instead
	case c.N6.Tunnels().Any() || c.N6.Port != 0:
		return "n6", "has tunnels, which are not supported by datapath.kind calibrator: leave address, address6 and port out, " + instead
	}
	return "", ""
}

func open(c upf.Config) (datapath.Datapath, error) {
	plan, _, err := Parse(c.Datapath.Calibrate)
	if err != nil {
		return nil, fmt.Errorf("datapath.calibrate: %w", err)
	}
	return impair.Open(impair.Config{
		N3: c.N3.Interface, N6: c.N6.Interface, N3Address: c.N3.Address, NoECN: c.NoECN,
		MaxSessions: c.MaxSessions, UEPools: c.UEPools, Plan: plan, Marks: Marks{},
	})
}
