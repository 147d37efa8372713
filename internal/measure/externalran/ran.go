// Package externalran finds UEs behind a RAN that is not upflab's: interfaces that UERANSIM,
// srsRAN, OAI or a modem gives, on this machine or on another one by ssh. It changes nothing.
package externalran

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/lab/apps"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/measure/appflow"
	"github.com/upflab/upflab/internal/scenario"
)

// Config says where things are.
type Config struct {
	UE     scenario.ExternalUE
	Server netip.Addr // of the data network: an address of this machine
	Claim  *host.Claim
	Tools  appflow.Tools
}

// RAN is open until it is closed.
type RAN struct {
	cfg     Config
	dn, own *netdev.Namespace // own: of the UEs, where they are on this machine
	ue      apps.Place
	ran     []int // processes
	upf     []int
}

// Open finds the namespaces and checks that the way between the ends does not stay inside
// one of them.
func Open(c Config) (*RAN, error) {
	r := &RAN{cfg: c}
	if err := r.open(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *RAN) open() (err error) {
	x := r.cfg.UE
	if r.dn, err = namespace("external_ue.dn_namespace", x.DNNamespace); err != nil {
		return err
	}
	if err := has(r.dn, r.cfg.Server); err != nil {
		return err
	}
	if r.ran, err = running("external_ue.processes", x.Processes); err != nil {
		return err
	}
	if x.UPFProcess != "" {
		if r.upf, err = running("external_ue.upf_process", []string{x.UPFProcess}); err != nil {
			return err
		}
	}
	if x.SSH != "" {
		r.ue = apps.Place{Claim: r.cfg.Claim, Remote: &apps.Remote{Host: x.SSH, Namespace: x.Namespace}}
		return r.interfaces()
	}
	if r.own, err = namespace("external_ue.namespace", x.Namespace); err != nil {
		return err
	}
	r.ue = apps.Place{Namespace: r.own, Claim: r.cfg.Claim}
	return cmp.Or(apart(r.own, r.dn), r.interfaces())
}

// interfaces checks all interfaces that the run is to measure by, before the first is measured.
func (r *RAN) interfaces() error {
	x := r.cfg.UE
	for _, of := range []struct {
		key   string
		names []string
	}{{"interfaces", x.Interfaces}, {"bench_interface", []string{x.BenchInterface}}, {"direct_interface", []string{x.DirectInterface}}} {
		names := slices.DeleteFunc(slices.Clone(of.names), func(name string) bool { return name == "" })
		if err := r.there(names); err != nil {
			return fmt.Errorf("external_ue.%s: %w", of.key, err)
		}
	}
	return nil
}

// namespace opens a namespace by its name; "": that of upflab.
func namespace(key, name string) (*netdev.Namespace, error) {
	if name == "" {
		return netdev.Current()
	}
	ns, err := netdev.Named(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: `ip netns list` names those that exist", key, err)
	}
	return ns, nil
}

// has checks that an address is one of a namespace.
func has(ns *netdev.Namespace, server netip.Addr) error {
	list, err := ns.Netlink().AddrList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return fmt.Errorf("list the addresses of the data network: %w", err)
	}
	for _, a := range list {
		if got, ok := netip.AddrFromSlice(a.IP); ok && got.Unmap() == server {
			return nil
		}
	}
	return fmt.Errorf("n6.dn %s is no address here: run upflab where the data network is, or set n6.dn to the "+
		"address that UEs reach it by", server)
}

// apart checks that UE and data network are two hosts: a host keeps packets to itself.
func apart(a, b *netdev.Namespace) error {
	one, err := a.Inode()
	if err != nil {
		return err
	}
	other, err := b.Inode()
	if err == nil && one == other {
		err = errors.New("the UE's interface and n6.dn are on the same host, so packets between them would never leave it: " +
			"put the data network's address into a namespace of its own (external_ue.dn_namespace), or the RAN (external_ue.namespace)")
	}
	return err
}

// Ends are the ends of flows by UE interfaces.
func (r *RAN) Ends(interfaces ...string) (*appflow.Ends, error) {
	e := &appflow.Ends{UE: r.ue, DN: apps.Place{Namespace: r.dn, Claim: r.cfg.Claim}, Server: r.cfg.Server,
		Tools: r.cfg.Tools, Devices: interfaces,
		Usage: func() (telemetry.Sample, error) {
			return telemetry.Take(telemetry.Subject{PIDs: func() []int { return r.upf }})
		},
		Check: func() error { return r.there(interfaces) }}
	if len(r.ran) > 0 {
		e.RAN = r.threads
	}
	if len(r.ran) > 0 && len(r.upf) > 0 { // all that works for a flow is known
		e.PIDs = slices.Concat([]int{os.Getpid()}, r.ran, r.upf)
	}
	for _, name := range interfaces {
		p, err := r.port(name)
		if err != nil {
			return nil, err
		}
		e.UEs = append(e.UEs, p.address)
		if e.MTU == 0 || p.mtu < e.MTU {
			e.MTU = p.mtu
		}
	}
	return e, nil
}

// there reports interfaces that are gone, or down.
func (r *RAN) there(interfaces []string) error {
	for _, name := range interfaces {
		if _, err := r.port(name); err != nil {
			return err
		}
	}
	return nil
}

// threads are those of the RAN's programs.
func (r *RAN) threads() map[int]telemetry.Thread {
	all := map[int]telemetry.Thread{}
	for _, pid := range r.ran {
		threads, _ := telemetry.Threads(pid) // one that cannot be read is not full
		for id, t := range threads {
			all[id] = t
		}
	}
	return all
}

// Close lets go of the namespaces; nothing in them was changed.
func (r *RAN) Close() error {
	for _, ns := range []*netdev.Namespace{r.dn, r.own} {
		if ns != nil {
			ns.Release()
		}
	}
	return nil
}
