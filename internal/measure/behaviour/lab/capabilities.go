package lab

import (
	"github.com/upflab/upflab/internal/measure/behaviour"
)

// Capabilities implements behaviour.Lab. The counters are those that the driver reads.
func (l *Lab) Capabilities() behaviour.Capabilities {
	c := behaviour.Capabilities{DialStranger: l.dialStranger, Footprint: l.footprint, Unread: l.unread, Accounts: l.Instance().Accounts, IPsec: l.protection.capability()}
	if l.streamer.able {
		c.Stream = l.streamer.stream
	}
	if l.Owns() {
		c.Holdings = l.holdings
	}
	return c
}
