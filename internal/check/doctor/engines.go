package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/traffic/afxdp"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// engines tries what can send and receive here.
func engines(_ context.Context, e *exam) Finding {
	const name = "engines"
	if e.uid != 0 {
		return untried(name)
	}
	f := judgeEngines(xdp.Available(), packetSockets())
	if no := afxdp.Available(); no != nil {
		f.Detail += fmt.Sprintf("; not %s: %v", scenario.EngineAFXDP, no)
	} else {
		f.Detail += fmt.Sprintf("; and %s, for NICs with zero copy", scenario.EngineAFXDP)
	}
	return f
}

// packetSockets opens those that the engine af_packet needs, on the loopback device.
func packetSockets() error {
	s, err := tpacket.OpenSender("lo")
	if err != nil {
		return err
	}
	b, err := tpacket.OpenBlocks(tpacket.BlockConfig{Interface: "lo", Blocks: 2})
	if err == nil {
		err = b.Close()
	}
	return errors.Join(err, s.Close())
}

func judgeEngines(noXDP, noPackets error) Finding {
	const name = "engines"
	switch {
	case noXDP == nil && noPackets == nil:
		return Finding{Name: name, State: OK, Detail: fmt.Sprintf("%s (which auto takes) and %s", scenario.EngineXDP, scenario.EngineAFPacket)}
	case noXDP == nil:
		return Finding{Name: name, State: OK, Detail: fmt.Sprintf("%s; not %s: %v", scenario.EngineXDP, scenario.EngineAFPacket, noPackets)}
	case noPackets == nil:
		return Finding{Name: name, State: Warn, Fix: "see bpf() and XDP live frames above",
			Detail: fmt.Sprintf("%s, which auto takes: rates up to some 0.8 Mpps, and only DUTs that need no "+
				"BPF; not %s: %v", scenario.EngineAFPacket, scenario.EngineXDP, noXDP)}
	}
	return failed(name, errors.Join(noXDP, noPackets), "run as root, or in a user namespace: unshare -Urnmpf --mount-proc upflab ...")
}
