package main

import (
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// The addresses and numbers are those that package attack puts others in place of.
var (
	upfN4 = netip.MustParseAddr("192.0.2.5")
	upfN3 = netip.MustParseAddr("192.0.2.3")
	smf   = netip.MustParseAddr("192.0.2.4")
	gnb   = netip.MustParseAddr("192.0.2.1")
)

const (
	firstTEID = 0x7e1d5a00
	firstSEID = 0x5e1d5e1d5e1d5e00
)

// upf answers PFCP.
type upf struct {
	conn net.PacketConn

	mu       sync.Mutex
	sessions map[uint64]int // by the SEID of the SMF, their numbers
	theirs   []uint64       // SEIDs of the SMF
	seq      uint32
}

func (u *upf) serve() {
	b := make([]byte, 1<<16)
	for {
		n, from, err := u.conn.ReadFrom(b)
		if err != nil {
			return
		}
		h, ies, _, err := pfcp.Parse(b[:n])
		if err != nil || h.Type.IsResponse() {
			continue
		}
		all, err := ie.ParseMultiIEs(append([]byte(nil), ies...))
		if err != nil {
			continue
		}
		u.conn.WriteTo(u.answer(h, all), from)
	}
}

func (u *upf) answer(h pfcp.Header, all []*ie.IE) []byte {
	u.mu.Lock()
	defer u.mu.Unlock()
	var m pfcp.Builder
	out := pfcp.Header{Type: h.Type + 1, Sequence: h.Sequence}
	switch h.Type {
	case pfcp.HeartbeatRequest:
		m.Begin(out)
	case pfcp.AssociationSetupRequest:
		m.Begin(out)
		node(&m)
		m.IE(ie.Cause, ie.CauseRequestAccepted)
		m.IE(ie.UPFunctionFeatures, 0x10, 0x01) // FTUP, EMPU
	case pfcp.SessionEstablishmentRequest:
		return u.establish(out, all)
	default:
		if n := int(h.SEID & 0xff); h.Type.OfSession() && n < len(u.theirs) {
			out.SEID = u.theirs[n]
		}
		m.Begin(out)
		m.IE(ie.Cause, ie.CauseRequestAccepted)
		for _, c := range created(all, int(h.SEID&0xff)) {
			m.Octets(c...)
		}
		return append([]byte(nil), m.Bytes()...)
	}
	m.IE32(ie.RecoveryTimeStamp, pfcp.Timestamp(time.Unix(1_700_000_000, 0)))
	return append([]byte(nil), m.Bytes()...)
}

func (u *upf) establish(out pfcp.Header, all []*ie.IE) []byte {
	n := len(u.theirs)
	for _, i := range all {
		if f, err := i.FSEID(); i.Type == ie.FSEID && err == nil {
			out.SEID = f.SEID
		}
	}
	u.theirs = append(u.theirs, out.SEID)
	var m pfcp.Builder
	m.Begin(out)
	node(&m)
	m.IE(ie.Cause, ie.CauseRequestAccepted)
	at := m.Open(ie.FSEID)
	m.Octets(2)
	m.Uint64(firstSEID + uint64(n))
	m.Addr(upfN4)
	m.Close(at)
	for _, c := range created(all, n) {
		m.Octets(c...)
	}
	return append([]byte(nil), m.Bytes()...)
}

// created are Created PDRs for the F-TEIDs that are to be chosen: one of each session.
func created(all []*ie.IE, n int) (list [][]byte) {
	for _, i := range all {
		if i.Type != ie.CreatePDR {
			continue
		}
		id, chosen := []byte{0, 0}, false
		for _, c := range i.ChildIEs {
			if c.Type == ie.PDRID {
				id = c.Payload
			}
			for _, p := range c.ChildIEs {
				chosen = chosen || p.Type == ie.FTEID && len(p.Payload) > 0 && p.Payload[0]&4 != 0
			}
		}
		if !chosen {
			continue
		}
		var m pfcp.Builder
		m.Begin(pfcp.Header{Type: pfcp.HeartbeatRequest})
		at := m.Open(ie.CreatedPDR)
		m.IE(ie.PDRID, id...)
		in := m.Open(ie.FTEID)
		m.Octets(1)
		m.Uint32(firstTEID + uint32(n))
		m.Addr(upfN3)
		m.Close(in)
		m.Close(at)
		list = append(list, append([]byte(nil), m.Bytes()[8:]...))
	}
	return list
}

// downlinkData reports downlink data of a session, for which the SMF has to page.
func (u *upf) downlinkData(n int, pdr uint16) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if n >= len(u.theirs) {
		return
	}
	u.seq++
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: pfcp.SessionReportRequest, SEID: u.theirs[n], Sequence: u.seq})
	m.IE(ie.ReportType, 1)
	at := m.Open(ie.DownlinkDataReport)
	m.IE(ie.PDRID, binary.BigEndian.AppendUint16(nil, pdr)...)
	m.Close(at)
	u.conn.WriteTo(m.Bytes(), net.UDPAddrFromAddrPort(netip.AddrPortFrom(smf, 8805)))
}

func node(m *pfcp.Builder) {
	at := m.Open(ie.NodeID)
	m.Octets(0)
	m.Addr(upfN4)
	m.Close(at)
}
