package smartnic

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/scenario"
)

// askPort asks what the NIC of a device of this machine can do.
func askPort(name string) (netdev.Capabilities, error) {
	here, err := netdev.Current()
	if err != nil {
		return netdev.Capabilities{}, err
	}
	defer here.Release()
	link, err := here.Netlink().LinkByName(name)
	if err != nil {
		return netdev.Capabilities{}, err
	}
	p := netdev.Port{NS: here, Name: name, Index: link.Attrs().Index, Physical: true}
	return p.Capabilities()
}

// capabilities are what a NIC can do, and how to use it. key is the scenario's, of the device.
func capabilities(key, name string, c netdev.Capabilities, s *scenario.Scenario) []dut.Finding {
	list := []dut.Finding{queueCount(key, c, s)}
	if strings.HasPrefix(key, "n3.") {
		list = append(list, teidHash(key, name, c), rules(key, c))
	}
	return append(list, xdp(key, c), stamps(key, c), speed(key, c))
}

func queueCount(key string, c netdev.Capabilities, s *scenario.Scenario) dut.Finding {
	f := dut.Finding{What: key + ": queues", Source: "ethtool(8), -l"}
	if c.Most == (netdev.Channels{}) {
		f.Found, f.Cost = "its driver has no setting for them", "queues has to be 1, which leaves the port as it is"
		return f
	}
	most := max(c.Most.Combined, c.Most.Receive)
	f.Found = fmt.Sprintf("%d that receive, of %d at most", c.Now.Receiving(), most)
	f.Set = "nothing: --set queues=N gives it N for the run"
	if s.Queues > 1 {
		f.Set = fmt.Sprintf("%d for the run", s.Queues)
	}
	f.Cost = "a queue is received on one CPU at a time: with fewer than CPUs some are idle"
	if s.Queues > int(most) {
		f.Cost = fmt.Sprintf("no run: --set queues=%d, or less", most)
	}
	return f
}

func teidHash(key, name string, c netdev.Capabilities) dut.Finding {
	f := dut.Finding{What: key + ": hash of the TEID", Source: "ethtool(8), rx-flow-hash; Linux 6.9",
		Cost: "without it all packets of a gNB are on one queue, and so on one core"}
	var with, without []string
	for _, kind := range slices.Sorted(maps.Keys(netdev.GTPUFlows)) {
		fields, known := c.FlowHash[netdev.GTPUFlows[kind]]
		switch {
		case known && fields&netdev.HashTEID != 0:
			with = append(with, kind)
		case known:
			without = append(without, kind)
		}
	}
	switch {
	case len(with)+len(without) == 0:
		f.Found = "its driver, or this kernel, knows no GTP-U"
		f.Set = "nothing: several gNBs (--set gnbs=N) spread by their addresses"
	case len(without) == 0:
		f.Found = "on, for " + strings.Join(with, ", ")
	default:
		f.Found = "off, for " + strings.Join(without, ", ")
		f.Set = fmt.Sprintf("on for the run where queues is over 1 (--set spread=teid_hash insists); for good: "+
			"`ethtool -N %s rx-flow-hash %s sde`", name, without[0])
	}
	return f
}

func rules(key string, c netdev.Capabilities) dut.Finding {
	f := dut.Finding{What: key + ": rules that send a TEID to a queue", Source: "ethtool(8), -N flow-type udp4 user-def",
		Cost: "one for each session, and not all drivers look into the UDP payload; spread=teid_hash needs none"}
	switch {
	case !c.Rules:
		f.Found = "its driver takes none"
	case c.RuleRoom == 0:
		f.Found, f.Set = "its driver takes them", "nothing: --set spread=teid_rules adds them for the run"
	default:
		f.Found, f.Set = fmt.Sprintf("its driver takes %d", c.RuleRoom), "nothing: --set spread=teid_rules adds them for the run"
	}
	return f
}

// xdp says which engine a port is for.
func xdp(key string, c netdev.Capabilities) dut.Finding {
	f := dut.Finding{What: key + ": XDP", Source: "Documentation/netlink/specs/netdev.yaml of Linux; `auto` decides by the same"}
	if c.XDP == nil {
		f.Found, f.Cost = "this kernel does not say (Linux 6.3 does)", "unknown until it is tried"
		return f
	}
	var words []string
	for _, w := range []struct {
		has  bool
		text string
	}{
		{c.XDP.Acts&netdev.ActBasic != 0, "programs"}, {c.XDP.Acts&netdev.ActRedirect != 0, "redirects what it receives"},
		{c.Redirects, "takes redirected frames"}, {c.XDP.Acts&netdev.ActZeroCopy != 0, "AF_XDP zero copy"},
	} {
		if w.has {
			words = append(words, w.text)
		}
	}
	f.Found = strings.Join(words, ", ")
	switch {
	case len(words) == 0:
		f.Found, f.Cost = "none in the driver", "generic XDP receives, and packet sockets send (engine=af_packet)"
	case c.Redirects:
		f.Cost = "none: engine=xdp sends"
	case c.XDP.Acts&netdev.ActZeroCopy != 0:
		f.Cost = "no live frames: engine=af_xdp sends, with zero copy"
	default:
		f.Cost = "no live frames and no zero copy: engine=af_packet sends, a tenth as fast"
	}
	return f
}

func stamps(key string, c netdev.Capabilities) dut.Finding {
	f := dut.Finding{What: key + ": hardware time stamps",
		Source: "Documentation/networking/xdp-rx-metadata.rst and xsk-tx-metadata.rst of Linux",
		Cost:   "without them delays begin and end in software, some µs from the wire"}
	if c.XDP == nil {
		f.Found = "this kernel does not say (Linux 6.3 does)"
		return f
	}
	yes := func(bit uint64) string {
		if bit != 0 {
			return "yes"
		}
		return "no"
	}
	f.Found = fmt.Sprintf("for XDP programs that receive: %s; for AF_XDP sockets that send: %s",
		yes(c.XDP.RxMetadata&netdev.RxTimestamp), yes(c.XDP.Socket&netdev.TxTimestamp))
	return f
}

func speed(key string, c netdev.Capabilities) dut.Finding {
	f := dut.Finding{What: key + ": line rate", Source: "/sys/class/net; docs/method.md",
		Cost: "a load above the link's rate says nothing of a UPF, and trials then name the link"}
	f.Found = "not known: it is down, or virtual"
	if c.Speed > 0 {
		f.Found = fmt.Sprintf("%g Gbit/s", float64(c.Speed)/1e9)
	}
	return f
}
