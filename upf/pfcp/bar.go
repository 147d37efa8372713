package pfcp

import (
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

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

func (b *barChange) apply(to *session.BAR) {
	to.ID = b.id
	if b.delay != nil {
		to.Delay = time.Duration(*b.delay) * delayUnit
	}
	if b.packets != nil {
		to.Packets = int(*b.packets)
	}
}
