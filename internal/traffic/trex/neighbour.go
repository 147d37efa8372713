package trex

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/proto/arp"
	"github.com/upflab/upflab/internal/text/wait"
)

// Neighbour gives a port an address, so that TRex answers ARP for it, and finds the MAC
// address of the UPF's by asking for it as TRex's own clients do. Close undoes it.
func (s *Server) Neighbour(n3 bool, own, upf netip.Addr) (mac net.HardwareAddr, err error) {
	p := s.portOf(n3)
	before, err := s.status(p.id)
	if err != nil {
		return nil, err
	}
	if err := s.serve(p, true); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.serve(p, false)) }()
	if mac, err = s.resolve(p, own, upf); err != nil {
		return nil, err
	}
	if p.before == nil {
		p.before = &before.Attributes.Layers
	}
	return mac, s.slow("set_l3", s.own(p, map[string]any{"src_addr": own.String(), "dst_addr": upf.String(), "resolved_mac": mac.String()}))
}

// serve switches a port's service mode, in which it takes frames from us and keeps those that
// arrive.
func (s *Server) serve(p *port, on bool) error {
	return s.rpc.do("service", s.own(p, map[string]any{"enabled": on, "filtered": false}), nil)
}

// restore makes a port's addresses what they were.
func (s *Server) restore(p *port) error {
	if p.before == nil {
		return nil
	}
	was := *p.before
	p.before = nil
	if err := s.serve(p, true); err != nil {
		return err
	}
	err := s.slow("set_l2", s.own(p, map[string]any{"dst_mac": was.Ethernet.Destination}))
	if was.IPv4.State != "" && was.IPv4.State != "none" {
		l3 := map[string]any{"src_addr": was.IPv4.Source, "dst_addr": was.IPv4.Destination}
		if was.IPv4.State == "resolved" {
			l3["resolved_mac"] = was.Ethernet.Destination
		}
		err = s.slow("set_l3", s.own(p, l3))
	}
	return errors.Join(err, s.serve(p, false))
}

// answered is the MAC address in an ARP reply of an address; nil: it is none.
func answered(frame []byte, from netip.Addr) net.HardwareAddr {
	m, ok := arp.Parse(frame)
	if !ok || m.Operation != arp.Reply || m.Sender != from {
		return nil
	}
	return m.MAC[:]
}

// resolve asks for the MAC address of an address, three times.
func (s *Server) resolve(p *port, own, upf netip.Addr) (mac net.HardwareAddr, err error) {
	if err := s.rpc.do("set_rx_feature", s.own(p, map[string]any{"type": "queue", "enabled": true, "size": 1000}), nil); err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, s.rpc.do("set_rx_feature", s.own(p, map[string]any{"type": "queue", "enabled": false}), nil))
	}()
	ask := map[string]any{"binary": base64.StdEncoding.EncodeToString(arp.Frame(arp.Request, [6]byte(p.mac), arp.Broadcast, own, upf)),
		"use_port_dst_mac": false, "use_port_src_mac": false}
	for range 3 {
		if err := s.rpc.do("push_pkts", s.own(p, map[string]any{"pkts": []any{ask}, "force": false, "ipg_usec": 0}), nil); err != nil {
			return nil, err
		}
		heard := func() bool { mac, err = s.heard(p, upf); return mac != nil || err != nil }
		if wait.Until(time.Second, 20*time.Millisecond, heard) {
			return mac, err
		}
	}
	return nil, fmt.Errorf("%s does not answer ARP at port %d of the TRex server %s: is it the UPF's address, and "+
		"the port cabled to it?", upf, p.id, s.rpc.address)
}

// heard looks through what arrived for an answer.
func (s *Server) heard(p *port, upf netip.Addr) (net.HardwareAddr, error) {
	var queue struct {
		Packets []struct {
			Binary string `json:"binary"`
		} `json:"pkts"`
	}
	if err := s.rpc.do("get_rx_queue_pkts", s.own(p, nil), &queue); err != nil {
		return nil, err
	}
	for _, x := range queue.Packets {
		frame, err := base64.StdEncoding.DecodeString(x.Binary)
		if err != nil {
			continue
		}
		if mac := answered(frame, upf); mac != nil {
			return mac, nil
		}
	}
	return nil, nil
}
