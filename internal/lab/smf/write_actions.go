package smf

import (
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// far writes a Create or Update FAR (tables 7.5.2.3-1, 7.5.4.3-1).
func (w *ruleWriter) far(group, parameters uint16, f *rules.FAR) {
	at := w.Open(group)
	w.IE32(ie.FARID, f.ID)
	switch {
	case f.Action == 0:
	case w.ApplyActionOctets >= 2:
		w.IE(ie.ApplyAction, byte(f.Action), 0)
	default:
		w.IE(ie.ApplyAction, byte(f.Action))
	}
	if !f.ActionOnly {
		w.parameters(parameters, f)
	}
	if f.Copy != nil {
		in := w.Open(ie.DuplicatingParameters)
		w.IE(ie.DestinationInterface, byte(rules.Access))
		w.outerHeader(f.Copy)
		w.Close(in)
	}
	if f.BAR != 0 {
		w.IE(ie.BARID, byte(f.BAR))
	}
	w.Close(at)
}

// parameters writes the Forwarding Parameters (tables 7.5.2.3-2, 7.5.4.3-2).
func (w *ruleWriter) parameters(group uint16, f *rules.FAR) {
	const sendEndMarkers = 1 << 1
	at := w.Open(group)
	if !f.KeepDestination {
		w.IE(ie.DestinationInterface, byte(f.To))
		w.networkInstance()
	}
	if f.Tunnel != nil {
		w.outerHeader(f.Tunnel)
	}
	if f.Mark != nil {
		w.IE(ie.TransportLevelMarking, f.Mark[:]...)
	}
	if f.EndMarkers {
		w.IE(ie.PFCPSMReqFlags, sendEndMarkers)
	}
	if !f.KeepDestination {
		w.interfaceType(f.Interface, f.To)
	}
	w.Close(at)
}

// outerHeader writes an Outer Header Creation (clause 8.2.56).
func (w *ruleWriter) outerHeader(t *rules.Tunnel) {
	at := w.Open(ie.OuterHeaderCreation)
	description := byte(1) << (2 * t.Kind) // of IPv4; the next bit is that of IPv6
	w.Octets(family(t.Peer, description, description<<1), 0)
	if t.Kind == rules.GTPU {
		w.Uint32(t.TEID)
	}
	w.Addr(t.Peer)
	if t.Kind == rules.UDP {
		w.Octets(byte(t.Port>>8), byte(t.Port))
	}
	w.Close(at)
}

// qer writes a Create or Update QER (tables 7.5.2.5-1, 7.5.4.5-1).
func (w *ruleWriter) qer(group uint16, q *rules.QER) {
	const closedDown, closedUp = 1 << 0, 1 << 2
	at := w.Open(group)
	w.IE32(ie.QERID, q.ID)
	if !q.KeepGates {
		var gates byte
		if q.CloseUp {
			gates |= closedUp
		}
		if q.CloseDown {
			gates |= closedDown
		}
		w.IE(ie.GateStatus, gates)
	}
	if q.MBRUp != 0 || q.MBRDown != 0 {
		w.rates(ie.MBR, q.MBRUp, q.MBRDown)
	} else if w.MBR != 0 {
		w.rates(ie.MBR, w.MBR, w.MBR)
	}
	if q.GBRUp != 0 || q.GBRDown != 0 {
		w.rates(ie.GBR, q.GBRUp, q.GBRDown)
	} else if w.GBR != 0 {
		w.rates(ie.GBR, w.GBR, w.GBR)
	}
	if q.QFI != 0 {
		w.IE(ie.QFI, q.QFI)
	}
	if q.RQI {
		w.IE(ie.RQI, 1)
	}
	if q.PPI != nil {
		w.IE(ie.PagingPolicyIndicator, *q.PPI)
	}
	w.Close(at)
}

// rates writes an MBR or a GBR, kbit/s, in 40 bits each (clauses 8.2.8, 8.2.9).
func (w *ruleWriter) rates(typ uint16, up, down uint64) {
	at := w.Open(typ)
	for _, r := range [...]uint64{up, down} {
		w.Octets(byte(r >> 32))
		w.Uint32(uint32(r))
	}
	w.Close(at)
}

// urr writes a Create or Update URR (tables 7.5.2.4-1, 7.5.4.4-1).
func (w *ruleWriter) urr(group uint16, u *rules.URR) {
	const numberOfPackets = 1 << 4 // MNOP
	at := w.Open(group)
	w.IE32(ie.URRID, u.ID)
	w.IE(ie.MeasurementMethod, u.Method)
	if w.ReportingTriggersOctets >= 3 {
		w.IE(ie.ReportingTriggers, byte(u.Triggers), byte(u.Triggers>>8), byte(u.Triggers>>16))
	} else {
		w.IE(ie.ReportingTriggers, byte(u.Triggers), byte(u.Triggers>>8))
	}
	w.number(ie.MeasurementPeriod, u.Period)
	w.number(ie.TimeThreshold, u.Time)
	w.number(ie.TimeQuota, u.TimeQuota)
	w.volume(ie.VolumeThreshold, u.Threshold)
	w.volume(ie.VolumeQuota, u.Quota)
	if u.Packets {
		w.IE(ie.MeasurementInformation, numberOfPackets)
	}
	w.number(ie.FARID, u.QuotaFAR)
	if u.Monitoring > 0 {
		w.IE32(ie.MonitoringTime, pfcp.Timestamp(time.Now().Add(u.Monitoring)))
	}
	w.Close(at)
}

// number writes an IE of 32 bits unless it is 0.
func (w *ruleWriter) number(typ uint16, v uint32) {
	if v != 0 {
		w.IE32(typ, v)
	}
}

// volume writes a Volume Threshold or Quota, octets (clauses 8.2.13, 8.2.50).
func (w *ruleWriter) volume(typ uint16, v *rules.Volume) {
	if v == nil {
		return
	}
	at := w.Open(typ)
	var flags byte
	list := [...]*uint64{v.Total, v.Up, v.Down}
	for i, n := range list {
		if n != nil {
			flags |= 1 << i
		}
	}
	w.Octets(flags)
	for _, n := range list {
		if n != nil {
			w.Uint64(*n)
		}
	}
	w.Close(at)
}

// bar writes a Create BAR (table 7.5.2.6-1).
func (w *ruleWriter) bar(group uint16, b *rules.BAR) {
	at := w.Open(group)
	w.IE(ie.BARID, b.ID)
	if b.Delay != 0 {
		w.IE(ie.DownlinkDataNotificationDelay, b.Delay)
	}
	if b.Count != 0 {
		w.IE(ie.SuggestedBufferingPacketsCount, b.Count)
	}
	w.Close(at)
}
