package request

import (
	"encoding/binary"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// QERChange is a Create QER or an Update QER (TS 29.244 tables 7.5.2.5-1 and
// 7.5.4.5-1). What is nil is not to be changed.
type QERChange struct {
	ID   uint32
	QFI  *uint8
	RQI  *bool
	PPI  *session.PPI
	Gate *byte
	MBR  *[2]uint64 // uplink, downlink; bits/s
	GBR  *[2]uint64

	Window *time.Duration
}

func decodeCreateQER(f Fields) (QERChange, error) {
	q, err := DecodeUpdateQER(f)
	if err == nil && q.Gate == nil {
		return q, missing(ie.GateStatus)
	}
	return q, err
}

func DecodeUpdateQER(f Fields) (q QERChange, err error) {
	if q.ID, err = f.mustUint32(ie.QERID); err != nil {
		return q, err
	}
	gate, _, err := f.may(ie.GateStatus, 1)
	if err != nil {
		return q, err
	}
	if len(gate) > 0 {
		octet := gate[0]
		q.Gate = &octet
	}
	qfi, found, err := f.may(ie.QFI, 1)
	if err != nil {
		return q, err
	}
	if found {
		q.QFI = new(uint8)
		if len(qfi) > 0 {
			*q.QFI = qfi[0] & session.MaxQFI
		}
	}
	if err := q.refuse(f); err != nil {
		return q, err
	}
	return q, q.decodeRates(f)
}

// refuse looks for what would limit or mark packets in a way that is not done.
func (q *QERChange) refuse(f Fields) error {
	for _, typ := range []uint16{ie.PacketRate, ie.DLFlowLevelMarking, ie.QERControlIndications, IEQERIndications} {
		if i := f.Find(typ); i != nil && len(i.Payload) > 0 {
			return RuleError(session.KindQER, q.ID, "IE %d of a QER is not supported", typ)
		}
	}
	return nil
}

func (q *QERChange) decodeRates(f Fields) (err error) {
	rqi, found, err := f.may(ie.RQI, 1)
	if err != nil {
		return err
	}
	if found {
		on := len(rqi) > 0 && rqi[0]&1 != 0
		q.RQI = &on
	}
	if q.MBR, err = f.mayRates(ie.MBR); err != nil {
		return err
	}
	if q.GBR, err = f.mayRates(ie.GBR); err != nil {
		return err
	}
	if err := q.decodePPI(f); err != nil {
		return err
	}
	return q.decodeWindow(f)
}

// decodePPI reads the Paging Policy Indicator (clause 8.2.116). An empty one takes it away again.
func (q *QERChange) decodePPI(f Fields) error {
	b, found, err := f.may(ie.PagingPolicyIndicator, 1)
	if err != nil || !found {
		return err
	}
	q.PPI = new(session.PPI)
	if len(b) > 0 {
		*q.PPI = session.PPIOf(b[0])
	}
	return nil
}

// decodeWindow reads the Averaging Window, milliseconds (clause 8.2.115). An empty one, or
// one of 0, gives the default again.
func (q *QERChange) decodeWindow(f Fields) error {
	b, found, err := f.may(ie.AveragingWindow, 4)
	if err != nil || !found {
		return err
	}
	q.Window = new(time.Duration)
	if len(b) > 0 {
		*q.Window = time.Duration(binary.BigEndian.Uint32(b)) * time.Millisecond
	}
	return nil
}

// mayRates reads two rates of 40 bits in kbit/s, uplink and downlink (clauses 8.2.8 and
// 8.2.9), in bits/s; nil when the IE is absent.
func (f Fields) mayRates(typ uint16) (*[2]uint64, error) {
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

// BARChange is a Create BAR or an Update BAR (TS 29.244 tables 7.5.2.6-1 and
// 7.5.4.11-1). What is nil is not to be changed.
type BARChange struct {
	ID             uint32
	Delay, Packets *byte
}

func decodeBAR(f Fields) (b BARChange, err error) {
	if b.ID, err = f.mustBAR(); err != nil {
		return b, err
	}
	for _, x := range []struct {
		typ uint16
		to  **byte
	}{{ie.DownlinkDataNotificationDelay, &b.Delay}, {ie.SuggestedBufferingPacketsCount, &b.Packets}} {
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
func (f Fields) mustBAR() (uint32, error) {
	b, err := f.must(ie.BARID, 1)
	if err != nil {
		return 0, err
	}
	return uint32(b[0]), nil
}
