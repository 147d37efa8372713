package rules

import (
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// far writes a Create or Update FAR (tables 7.5.2.3-1, 7.5.4.3-1).
func (w *Writer) far(group, parameters uint16, f *FAR) {
	at := w.Open(group)
	w.IE32(ie.FARID, f.ID)
	if f.Action != 0 {
		if w.ApplyActionOctets >= 2 {
			w.IE(ie.ApplyAction, byte(f.Action), 0)
		} else {
			w.IE(ie.ApplyAction, byte(f.Action))
		}
	}
	if !f.ActionOnly {
		w.parameters(parameters, f)
	}
	if f.Copy != nil {
		in := w.Open(ie.DuplicatingParameters)
		w.IE(ie.DestinationInterface, byte(Access))
		w.outer(f.Copy)
		w.Close(in)
	}
	if f.BAR != 0 {
		w.IE(ie.BARID, byte(f.BAR))
	}
	w.Close(at)
}

func (w *Writer) parameters(group uint16, f *FAR) {
	at := w.Open(group)
	w.IE(ie.DestinationInterface, byte(f.To))
	w.instance()
	if f.Tunnel != nil {
		w.outer(f.Tunnel)
	}
	if f.Mark != nil {
		w.IE(ie.TransportLevelMarking, f.Mark[:]...)
	}
	if f.EndMarkers {
		w.IE(ie.PFCPSMReqFlags, 2)
	}
	w.kind(f.Interface, f.To)
	w.Close(at)
}

// outer writes Outer Header Creation (clause 8.2.56).
func (w *Writer) outer(t *Tunnel) {
	at := w.Open(ie.OuterHeaderCreation)
	description := byte(1) << (2 * t.Kind) // of IPv4; the next bit is of IPv6
	if t.Peer.Is6() {
		description <<= 1
	}
	w.Octets(description, 0)
	if t.Kind == GTPU {
		w.Uint32(t.TEID)
	}
	w.Addr(t.Peer)
	if t.Kind == UDP {
		w.Octets(byte(t.Port>>8), byte(t.Port))
	}
	w.Close(at)
}

// qer writes a Create or Update QER (table 7.5.2.5-1).
func (w *Writer) qer(group uint16, q *QER) {
	at := w.Open(group)
	w.IE32(ie.QERID, q.ID)
	var gate byte
	if q.CloseUp {
		gate |= 1 << 2
	}
	if q.CloseDown {
		gate |= 1
	}
	w.IE(ie.GateStatus, gate)
	w.rates(ie.MBR, q.MBRUp, q.MBRDown)
	w.rates(ie.GBR, q.GBRUp, q.GBRDown)
	if q.QFI != 0 {
		w.IE(ie.QFI, q.QFI)
	}
	if q.RQI {
		w.IE(ie.RQI, 1)
	}
	w.Close(at)
}

func (w *Writer) rates(typ uint16, up, down uint64) {
	if up == 0 && down == 0 {
		if typ != ie.MBR || w.MBR == 0 {
			return
		}
		up, down = w.MBR, w.MBR
	}
	at := w.Open(typ)
	for _, r := range []uint64{up, down} {
		w.Octets(byte(r >> 32))
		w.Uint32(uint32(r))
	}
	w.Close(at)
}

// urr writes a Create or Update URR (table 7.5.2.4-1).
func (w *Writer) urr(group uint16, u *URR) {
	at := w.Open(group)
	w.IE32(ie.URRID, u.ID)
	w.IE(ie.MeasurementMethod, u.Method)
	if w.ReportingTriggersOctets >= 3 {
		w.IE(ie.ReportingTriggers, byte(u.Triggers), byte(u.Triggers>>8), byte(u.Triggers>>16))
	} else {
		w.IE(ie.ReportingTriggers, byte(u.Triggers), byte(u.Triggers>>8))
	}
	for _, x := range []struct {
		typ   uint16
		value uint32
	}{{ie.MeasurementPeriod, u.Period}, {ie.TimeThreshold, u.Time}, {ie.TimeQuota, u.TimeQuota}} {
		if x.value != 0 {
			w.IE32(x.typ, x.value)
		}
	}
	w.volume(ie.VolumeThreshold, u.Threshold)
	w.volume(ie.VolumeQuota, u.Quota)
	if u.Packets {
		w.IE(ie.MeasurementInformation, 0x10) // MNOP
	}
	if u.QuotaFAR != 0 {
		w.IE32(ie.FARID, u.QuotaFAR)
	}
	if u.Monitoring > 0 {
		w.IE32(ie.MonitoringTime, pfcp.Timestamp(time.Now().Add(u.Monitoring)))
	}
	w.Close(at)
}

// volume writes a Volume Threshold or Quota (clauses 8.2.13, 8.2.50).
func (w *Writer) volume(typ uint16, v *Volume) {
	if v == nil {
		return
	}
	at := w.Open(typ)
	var flags byte
	list := []*uint64{v.Total, v.Up, v.Down}
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
func (w *Writer) bar(group uint16, b *BAR) {
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
