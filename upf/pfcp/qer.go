package pfcp

import (
	"encoding/binary"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// qerChange is a Create QER or an Update QER (TS 29.244 tables 7.5.2.5-1 and
// 7.5.4.5-1). What is nil is not to be changed.
type qerChange struct {
	id   uint32
	qfi  *uint8
	rqi  *bool
	ppi  *session.PPI
	gate *byte
	mbr  *[2]uint64 // uplink, downlink; bits/s
	gbr  *[2]uint64

	window *time.Duration
}

func decodeCreateQER(f fields) (qerChange, error) {
	q, err := decodeUpdateQER(f)
	if err == nil && q.gate == nil {
		return q, missing(ie.GateStatus)
	}
	return q, err
}

func decodeUpdateQER(f fields) (q qerChange, err error) {
	if q.id, err = f.mustUint32(ie.QERID); err != nil {
		return q, err
	}
	gate, _, err := f.may(ie.GateStatus, 1)
	if err != nil {
		return q, err
	}
	if len(gate) > 0 {
		octet := gate[0]
		q.gate = &octet
	}
	qfi, found, err := f.may(ie.QFI, 1)
	if err != nil {
		return q, err
	}
	if found {
		q.qfi = new(uint8)
		if len(qfi) > 0 {
			*q.qfi = qfi[0] & session.MaxQFI
		}
	}
	if err := q.refuse(f); err != nil {
		return q, err
	}
	return q, q.decodeRates(f)
}

// refuse looks for what would limit or mark packets in a way that is not done.
func (q *qerChange) refuse(f fields) error {
	for _, typ := range []uint16{ie.PacketRate, ie.DLFlowLevelMarking, ie.QERControlIndications, ieQERIndications} {
		if i := f.find(typ); i != nil && len(i.Payload) > 0 {
			return ruleError(session.KindQER, q.id, "IE %d of a QER is not supported", typ)
		}
	}
	return nil
}

func (q *qerChange) decodeRates(f fields) (err error) {
	rqi, found, err := f.may(ie.RQI, 1)
	if err != nil {
		return err
	}
	if found {
		on := len(rqi) > 0 && rqi[0]&1 != 0
		q.rqi = &on
	}
	if q.mbr, err = f.mayRates(ie.MBR); err != nil {
		return err
	}
	if q.gbr, err = f.mayRates(ie.GBR); err != nil {
		return err
	}
	if err := q.decodePPI(f); err != nil {
		return err
	}
	return q.decodeWindow(f)
}

// decodePPI reads the Paging Policy Indicator (clause 8.2.116). An empty one takes it away again.
func (q *qerChange) decodePPI(f fields) error {
	b, found, err := f.may(ie.PagingPolicyIndicator, 1)
	if err != nil || !found {
		return err
	}
	q.ppi = new(session.PPI)
	if len(b) > 0 {
		*q.ppi = session.PPIOf(b[0])
	}
	return nil
}

// decodeWindow reads the Averaging Window, milliseconds (clause 8.2.115). An empty one, or
// one of 0, gives the default again.
func (q *qerChange) decodeWindow(f fields) error {
	b, found, err := f.may(ie.AveragingWindow, 4)
	if err != nil || !found {
		return err
	}
	q.window = new(time.Duration)
	if len(b) > 0 {
		*q.window = time.Duration(binary.BigEndian.Uint32(b)) * time.Millisecond
	}
	return nil
}

// mayRates reads two rates of 40 bits in kbit/s, uplink and downlink (clauses 8.2.8 and
// 8.2.9), in bits/s; nil when the IE is absent.
func (f fields) mayRates(typ uint16) (*[2]uint64, error) {
	b, found, err := f.may(typ, 10)
	if err != nil || !found {
		return nil, err
	}
	if len(b) == 0 {
		return &[2]uint64{}, nil
	}
	return &[2]uint64{uint40(b) * 1000, uint40(b[5:]) * 1000}, nil
}

func uint40(b []byte) uint64 {
	return uint64(b[0])<<32 | uint64(b[1])<<24 | uint64(b[2])<<16 | uint64(b[3])<<8 | uint64(b[4])
}

// Gates, two bits each: downlink, then uplink (clause 8.2.7). Only 0 is open.
func gates(octet byte) (uplink, downlink bool) {
	return octet>>2&3 == 0, octet&3 == 0
}

func applyQER(q *qerChange, to *session.QER) {
	to.ID = q.id
	if q.gate != nil {
		to.GateUL, to.GateDL = gates(*q.gate)
	}
	if q.qfi != nil {
		to.QFI = *q.qfi
	}
	if q.mbr != nil {
		to.MBRUL, to.MBRDL = q.mbr[0], q.mbr[1]
	}
	if q.gbr != nil {
		to.GBRUL, to.GBRDL = q.gbr[0], q.gbr[1]
	}
	if q.rqi != nil {
		to.RQI = *q.rqi
	}
	if q.ppi != nil {
		to.PPI = *q.ppi
	}
	if q.window != nil {
		to.Window = *q.window
	}
}

// barChange is a Create BAR or an Update BAR (TS 29.244 tables 7.5.2.6-1 and
// 7.5.4.11-1). What is nil is not to be changed.
type barChange struct {
	id             uint32
	delay, packets *byte
}

func decodeBAR(f fields) (b barChange, err error) {
	if b.id, err = f.mustBAR(); err != nil {
		return b, err
	}
	for _, x := range []struct {
		typ uint16
		to  **byte
	}{{ie.DownlinkDataNotificationDelay, &b.delay}, {ie.SuggestedBufferingPacketsCount, &b.packets}} {
		v, _, err := f.may(x.typ, 1)
		if err != nil {
			return b, err
		}
		if len(v) > 0 {
			octet := v[0]
			*x.to = &octet
		}
	}
	return b, nil
}

// mustBAR reads a BAR ID, of one octet.
func (f fields) mustBAR() (uint32, error) {
	b, err := f.must(ie.BARID, 1)
	if err != nil {
		return 0, err
	}
	return uint32(b[0]), nil
}

// delayUnit is of a Downlink Data Notification Delay (clause 8.2.28).
const delayUnit = 50 * time.Millisecond

func applyBAR(b *barChange, to *session.BAR) {
	to.ID = b.id
	if b.delay != nil {
		to.Delay = time.Duration(*b.delay) * delayUnit
	}
	if b.packets != nil {
		to.Packets = int(*b.packets)
	}
}
