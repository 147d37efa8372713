package deploy

import (
	"fmt"
	"slices"
	"strings"
)

// Sysctls are the settings as the script writes them. Those for new devices are set for the
// ports, too, which are there already. IPv6 is switched off on N3 and N6 alone: somebody
// may be logged in by it.
func (s *script) Sysctls() (list []sysctl) {
	for _, x := range s.made.Sysctls {
		rest, ofAll := strings.CutPrefix(x.Key, "ipv6/conf/all/")
		ports := []string{"$N3", "$N6"}
		if !ofAll {
			list = append(list, sysctl{s.fill(x.Key), x.Value})
			rest, ofAll = strings.CutPrefix(x.Key, "ipv4/conf/default/")
			rest, ports = "ipv4/conf/%s/"+rest, append(ports, "$N4")
		} else {
			rest = "ipv6/conf/%s/" + rest
		}
		for _, p := range ports {
			if ofAll {
				list = append(list, sysctl{fmt.Sprintf(rest, p), x.Value})
			}
		}
	}
	return list
}

// Devices are those that upflab makes for the UPF.
func (s *script) Devices() (list []device) {
	for _, d := range s.made.Devices {
		if s.isPort(d.Name) {
			continue
		}
		list = append(list, d)
	}
	return list
}

func (s *script) isPort(name string) bool {
	return slices.Contains([]string{s.links.UPFN3.Name, s.links.UPFN4.Name, s.links.UPFN6.Name}, name)
}

// Add is the end of the command that makes the device.
func (d device) Add() string {
	switch d.Kind {
	case "tun", "tap":
		text := fmt.Sprintf("tuntap add dev %s mode %s", d.Name, d.Kind)
		if d.MultiQueue {
			text += " multi_queue"
		}
		return text
	case "vrf":
		return fmt.Sprintf("link add %s type vrf table %d", d.Name, d.Table)
	}
	return fmt.Sprintf("link add %s type %s", d.Name, d.Kind)
}

// Routes are those of the namespace.
func (s *script) Routes() (list []route) {
	for _, r := range s.made.Routes {
		r.Words = s.fill(r.Words)
		list = append(list, r)
	}
	return list
}

// Fixed are permanent neighbours other than the tester's ports.
func (s *script) Fixed() (list []neighbour) {
	for _, n := range s.made.Neighbours {
		if filled := s.fill(n.MAC); filled == n.MAC {
			list = append(list, neighbour{s.fill(n.Device), n.IP, n.MAC})
		}
	}
	return list
}

// CPUs are the UPF's, as taskset takes them.
func (s *script) CPUs() string {
	var list []string
	for _, cpu := range s.request.CPUs {
		list = append(list, fmt.Sprint(cpu))
	}
	return strings.Join(list, ",")
}

// Pool gives the prefix of the UEs' addresses.
func (s *script) Pool() string { return s.request.Scenario.UE.Pool.String() }

// Addresses are the commands that give upflab's machine its addresses.
func (s *script) Addresses() (list []string) {
	for _, p := range []struct {
		device, address string
		prefix          int
	}{{"N3_INTERFACE", s.links.GNB.Addr.String(), s.links.GNB.Prefix},
		{"N4_INTERFACE", s.links.SMFN4.Addr.String(), s.links.SMFN4.Prefix},
		{"N6_INTERFACE", s.links.DNN6.Addr.String(), s.links.DNN6.Prefix}} {
		list = append(list, fmt.Sprintf("ip address add %s/%d dev %s", p.address, p.prefix, p.device))
	}
	return append(list, fmt.Sprintf("ip route add %s via %s", s.Pool(), s.links.UPFN6.Addr))
}

// Measure is the command that measures the UPF.
func (s *script) Measure() string {
	text := fmt.Sprintf("upflab run %s --dut external --set external.n3_interface=N3_INTERFACE --set "+
		"external.n6_interface=N6_INTERFACE --set external.dialect=%s",
		s.request.Name, s.request.Target.Dialect())
	for _, set := range s.request.Sets {
		text += " --set " + quote(set)
	}
	return text
}

// quote makes one word for a shell where a text is not one.
func quote(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("=.,:/-%+@", r) && letters(r) != r }) {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}
