// Package engine chooses what sends and receives the packets of a run.
package engine

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/afxdp"
	"github.com/upflab/upflab/internal/traffic/trex"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// Choose takes the engine that the scenario asks for, or the fastest that
// works here for UDP payloads of up to so many octets, by its ports. It tries the XDP engine, which
// needs BPF; packet sockets need nothing that a testbed does not.
func Choose(s *scenario.Scenario, payload int) (record.Engine, error) {
	return choose(s.Engine, trials{
		xdp: func() error {
			if payload > xdp.MaxPayload {
				return fmt.Errorf("payloads of %d octets are too long for XDP live frames, which take %d", payload, xdp.MaxPayload)
			}
			return xdp.Available()
		},
		afxdp:   func() error { return errors.Join(xdp.Available(), afxdp.Available()) },
		ports:   func() portsXDP { return lookAtPorts(testerPorts(s)) },
		reaches: func() error { return reachesUPF(s) },
	})
}

// trials are what engines need, tried when it matters.
type trials struct {
	xdp, afxdp func() error
	ports      func() portsXDP
	// reaches is xdp.ErrUnreached where redirected frames do not come through to a UPF that runs elsewhere.
	reaches func() error
}

func choose(want scenario.Engine, try trials) (record.Engine, error) {
	chosen := func(e scenario.Engine, why string, values ...any) (record.Engine, error) {
		return record.Engine{Name: string(e), Why: fmt.Sprintf(why, values...)}, nil
	}
	var failed error
	switch want {
	case scenario.EngineXDP:
		if failed = try.xdp(); failed == nil {
			failed = try.reaches()
		}
	case scenario.EngineAFXDP:
		failed = try.afxdp()
	case scenario.EngineAFPacket: // it has a kernel's sockets, which are there
	case scenario.EngineAuto:
		return fastest(try, chosen)
	default:
		return record.Engine{}, fmt.Errorf("the engine %q is not one that sends by ports of this host", want)
	}
	if failed != nil {
		return record.Engine{},
			fmt.Errorf("the engine %s does not work here: %w%s: with --set engine=af_packet upflab sends by packet "+
				"sockets instead", want, failed, lettingThrough(failed))
	}
	return chosen(want, "the scenario asks for it")
}

// fastest is what auto takes: live frames where they work, and can be redirected to the
// ports; AF_XDP where these have zero copy; else packet sockets, which are as fast as AF_XDP
// that copies, and need less.
func fastest(try trials, chosen func(scenario.Engine, string, ...any) (record.Engine, error)) (record.Engine, error) {
	if failed := try.xdp(); failed != nil {
		return chosen(scenario.EngineAFPacket, "XDP, which is faster, does not work here: %v", failed)
	}
	at := try.ports()
	switch {
	case at.refuses == "":
		if failed := try.reaches(); failed != nil {
			return chosen(scenario.EngineAFPacket, "XDP, which is faster, does not work here: %v%s", failed, lettingThrough(failed))
		}
		return chosen(scenario.EngineXDP, "the fastest, and it works here")
	case at.copies != "":
		return chosen(scenario.EngineAFPacket, "frames cannot be redirected to %s, and %s has no zero copy for AF_XDP", at.refuses, at.copies)
	}
	if failed := try.afxdp(); failed != nil {
		return chosen(scenario.EngineAFPacket, "frames cannot be redirected to %s, and AF_XDP does not work here: %v", at.refuses, failed)
	}
	return chosen(scenario.EngineAFXDP, "frames cannot be redirected to %s, but it has zero copy for AF_XDP", at.refuses)
}

// lettingThrough is what to do about frames that do not arrive.
func lettingThrough(failed error) string {
	if !errors.Is(failed, xdp.ErrUnreached) {
		return ""
	}
	return "; the other end of a veth lets them through with GRO on (`ethtool -K DEVICE gro on`)"
}

// reachesUPF proves that redirected frames come through to a UPF that runs elsewhere, by N3 and by
// N6. Of interfaces that are not there, or of other hosts, attaching to them reports more.
func reachesUPF(s *scenario.Scenario) error {
	if s.External == nil || s.Hosts != nil || s.TRex != nil {
		return nil
	}
	here, err := netdev.Current()
	if err != nil {
		return err
	}
	defer here.Release()
	for _, x := range []struct {
		device   string
		own, upf netip.Addr
	}{{s.External.N3Interface, s.N3.GNB, s.N3.UPF}, {s.External.N6Interface, s.N6.DN, s.N6.UPF}} {
		if s.Transport.IPv6() && x.upf == s.N3.UPF {
			continue // the proof is an ARP request, which an N3 of IPv6 need not answer
		}
		link, err := here.Netlink().LinkByName(x.device)
		if err != nil || link.Attrs().Flags&net.FlagUp == 0 || len(link.Attrs().HardwareAddr) != 6 {
			continue
		}
		port := netdev.Port{NS: here, Name: x.device, Index: link.Attrs().Index, MAC: link.Attrs().HardwareAddr, Addr: x.own}
		if err := xdp.Reaches(port, x.upf); err != nil {
			return err
		}
	}
	return nil
}

// portsXDP is what keeps the tester's ports from sending by XDP.
type portsXDP struct {
	refuses string // a port to which no frame can be redirected; "": none
	copies  string // one without zero copy for AF_XDP; "": none
}

// testerPorts are the devices of this machine that the tester sends by.
func testerPorts(s *scenario.Scenario) (names []string) {
	if s.External != nil {
		names = append(names, s.External.N3Interface, s.External.N6Interface)
	}
	if s.LinkOf(s.N3.Link) == scenario.LinkPhysical && s.N3.TesterDevice != "" {
		names = append(names, s.N3.TesterDevice)
	}
	if s.LinkOf(s.N6.Link) == scenario.LinkPhysical && s.N6.TesterDevice != "" {
		names = append(names, s.N6.TesterDevice)
	}
	return names
}

// lookAtPorts looks at devices of this machine. One that is not there, or of which the
// kernel does not say what its driver can, keeps nothing from being tried.
func lookAtPorts(names []string) (p portsXDP) {
	here, err := netdev.Current()
	if err != nil {
		return p
	}
	defer here.Release()
	for _, name := range names {
		link, err := here.Netlink().LinkByName(name)
		if err != nil {
			continue
		}
		port := netdev.Port{NS: here, Name: name, Index: link.Attrs().Index, Physical: true}
		redirects, features, err := port.XDP().Redirects()
		if err != nil {
			continue
		}
		if !redirects && p.refuses == "" {
			p.refuses = name
		}
		if features.Acts&netdev.ActZeroCopy == 0 && p.copies == "" {
			p.copies = name
		}
	}
	return p
}

// OpenTRex takes the ports of the TRex server that the scenario names, for the whole run, and
// says in the result which one it is. nil: upflab sends and receives.
func OpenTRex(s *scenario.Scenario, e *record.Engine) (*trex.Server, error) {
	if s.TRex == nil {
		return nil, nil
	}
	server, err := trex.Open(trex.Config{Server: s.TRex.Server, N3Port: s.TRex.N3Port, N6Port: s.TRex.N6Port, Force: s.TRex.Force})
	if err != nil {
		return nil, err
	}
	e.Why = fmt.Sprintf("%s; %s", e.Why, server.Words())
	e.Differences = server.Differences(float64(s.TRex.LatencyPPS))
	return server, nil
}

// CloseTRex gives the ports of a TRex server back; nil: there is none.
func CloseTRex(server *trex.Server) error {
	if server == nil {
		return nil
	}
	if err := server.Close(); err != nil {
		return fmt.Errorf("give TRex's ports back: %w", err)
	}
	return nil
}
