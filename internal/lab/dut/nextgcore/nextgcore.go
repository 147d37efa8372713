// Package nextgcore drives the UPF of NextGCore, a port of Open5GS to Rust:
// https://github.com/NextgCoreLab/nextgcore
package nextgcore

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/scenario"
)

// Driver is dut.Driver for NextGCore's UPF.
type Driver struct{}

// Info implements dut.Driver: it names the UPF and what is known of it.
func (Driver) Info() dut.Info {
	return dut.Info{
		NoIPv6UEs:       "it forwards IPv4 only",
		NoIPv6Transport: "it forwards IPv4 only",
		Doctor:          doctor, Defects: defects,
		Name: "nextgcore", Dialect: "nextgcore",
		Summary:  "NextGCore UPF, in Rust: a UDP socket and a TUN device",
		Docs:     "https://github.com/NextgCoreLab/nextgcore (README)",
		Verified: "tried, 2c52e38, 21 lines changed to compile",
		Remarks: []string{
			"NextGCore's UPF leaves out each PDR that has an F-TEID, and forwards uplink packets of any TEID: no rule for uplink counts.",
			"NextGCore's UPF looks for downlink packets once in a timer tick of 1 ms when it has found none.",
			"NextGCore's downlink G-PDUs carry no PDU session container: they are 8 octets shorter.",
			"NextGCore's UPF always switches the kernel's connection tracking on (iptables -t nat); " +
				"upflab keeps its rule from matching a UE.",
		},
	}
}

// program is what NextGCore calls its UPF.
const program = "nextgcore-upfd"

// Installed implements dut.Driver: it gives the version that is installed here.
func (d Driver) Installed() (string, error) {
	_, path, err := dut.Find(d.Info(), program)
	if err != nil {
		return "", err
	}
	return version(path)
}

// version asks the program, which answers "nextgcore-upfd 0.1.0".
func version(path string) (string, error) {
	text, err := dut.AskVersion(path, "--version")
	if err != nil {
		return "", err
	}
	v, ok := strings.CutPrefix(text, program+" ")
	if !ok {
		return "", fmt.Errorf("%s --version answers %q, which is not NextGCore's version: is it %s?", path, text, program)
	}
	return "v" + v, nil
}

const (
	device = "ogstun"
	// ownMTU is what the UPF gives its device at the start, octets. It comes after the device's
	// address, and is the last thing that the UPF does to it.
	ownMTU = 1400
)

// own is the device's address. The UPF has the kernel translate the source addresses of the network
// that it takes from it, A.B.0.0 with the prefix's length: 169.254.0.0/32 is no UE's.
func own() netip.Prefix { return netip.MustParsePrefix("169.254.0.1/32") }

// Start implements dut.Driver: it starts the UPF in the site. The UPF opens its configuration file and
// takes nothing from it: all is on its command line.
func (d Driver) Start(ctx context.Context, env dut.Env) (*dut.Instance, error) {
	command, err := env.Find(d.Info(), program)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(check(env.Scenario), calls(env)); err != nil {
		return nil, err
	}
	t, mtu := env.Site, env.Scenario.MTU
	err = t.Provide(site.Needs{
		Tuns:   []netdev.Tun{{Name: device, MTU: mtu}},
		Routes: []netdev.Route{{To: env.Scenario.UE.Pool.Masked(), Device: device}},
	})
	if err != nil {
		return nil, err
	}
	spec := process.Spec{
		Args: append(command, arguments(t.Links(), env.Scenario.Sessions)...),
		CPUs: env.CPUs, Log: filepath.Join(env.Dir, "nextgcore.log"), Dir: env.Dir,
		ByHand: []string{fmt.Sprintf("until [ \"$(cat /sys/class/net/%s/mtu)\" = %d ]; do sleep 0.2; done", device, ownMTU),
			fmt.Sprintf("ip link set dev %s mtu %d # the UPF has set %d", device, mtu, ownMTU)},
	}
	g, err := process.StartGroup(ctx, process.GroupSpec{Site: t, Dir: env.Dir, Parts: []process.Part{
		{Name: program, Spec: spec, Ready: func() error { return widen(t.UPF(), mtu) }}}})
	if err != nil {
		return nil, err
	}
	return &dut.Instance{Program: g, Endpoint: dut.Endpoint{
		N4: netip.AddrPortFrom(t.Links().UPFN4.Addr, pfcp.Port), Dialect: smf.NextGCore()}}, nil
}

// arguments are those of the UPF's command line.
func arguments(l *site.Links, sessions int) []string {
	return []string{"--no-color", "--log-level", "error",
		"--pfcp-addr", l.UPFN4.Addr.String(), "--gtpu-addr", l.UPFN3.Addr.String(),
		"--tun-ifname", device, "--tun-ip", own().Addr().String(), "--tun-prefix", fmt.Sprint(own().Bits()),
		"--max-sessions", fmt.Sprint(max(sessions, 1024))}
}

// check refuses what the UPF does not do.
func check(s *scenario.Scenario) error {
	for _, p := range []struct {
		key  string
		addr netip.Addr
	}{{"ue.first", s.UE.First}, {"n3.upf", s.N3.UPF}} {
		if !p.addr.Is4() {
			return fmt.Errorf("NextGCore's UPF forwards IPv4 only: set %s to an IPv4 address, not %s", p.key, p.addr)
		}
	}
	if s.TEID.Assign == scenario.AssignUPF {
		return errors.New("NextGCore's UPF chooses no F-TEIDs: it accepts the session and leaves the PDR out: set teid.assign=smf")
	}
	return nil
}

// calls looks for what the UPF itself starts; without it, it ends with "No such file or directory".
func calls(env dut.Env) error {
	return env.Calls("NextGCore's UPF", []dut.Called{{"ip", "iproute2"}, {"iptables", "iptables"}})
}

// widen gives the device back the MTU that the UPF has narrowed: longer downlink packets would
// be fragmented before the UPF. The error says that it has not done so yet.
func widen(ns *netdev.Namespace, mtu int) error {
	link, err := ns.Netlink().LinkByName(device)
	if err != nil {
		return fmt.Errorf("find %s: %w", device, err)
	}
	if now := link.Attrs().MTU; now != ownMTU && mtu != ownMTU {
		return fmt.Errorf("it has not set the MTU of %s yet, which is %d", device, now)
	}
	return ns.Netlink().LinkSetMTU(link, mtu)
}
