package netdev

import (
	"encoding/binary"
	"fmt"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Carrier is the state of a port's link.
type Carrier struct {
	Up      bool   // the port is up, and so is what is at its other end
	Changes uint32 // how often the link has come or gone
}

// carrierChanges is IFLA_CARRIER_CHANGES of linux/if_link.h (Linux 3.15).
const carrierChanges = 35

// Carrier reads the state of the link. That of a veth goes when either end is set down.
func (p *Port) Carrier() (c Carrier, err error) {
	p = p.device()
	var answers [][]byte
	err = p.NS.Do(func() error {
		ask := nl.NewNetlinkRequest(unix.RTM_GETLINK, unix.NLM_F_ACK)
		message := nl.NewIfInfomsg(unix.AF_UNSPEC)
		message.Index = int32(p.Index)
		ask.AddData(message)
		answers, err = ask.Execute(unix.NETLINK_ROUTE, unix.RTM_NEWLINK)
		return err
	})
	if err != nil || len(answers) == 0 {
		return c, fmt.Errorf("read the carrier of %s: %w", p.Name, err)
	}
	return decodeCarrier(answers[0])
}

// decodeCarrier reads an RTM_NEWLINK: struct ifinfomsg, then attributes.
func decodeCarrier(b []byte) (c Carrier, err error) {
	if len(b) < unix.SizeofIfInfomsg {
		return c, fmt.Errorf("a link of %d octets", len(b))
	}
	const up = unix.IFF_UP | unix.IFF_LOWER_UP
	c.Up = nl.DeserializeIfInfomsg(b).Flags&up == up
	attributes, err := parseAttributes(b[unix.SizeofIfInfomsg:])
	if err != nil {
		return c, fmt.Errorf("read a link: %w", err)
	}
	for _, a := range attributes {
		if a.Attr.Type == carrierChanges && len(a.Value) == 4 {
			c.Changes = binary.NativeEndian.Uint32(a.Value)
		}
	}
	return c, nil
}
