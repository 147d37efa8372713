package trial

import (
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/traffic"
)

// Pager sends downlink packets to UEs, one each time, from the data network; close it. It sends frames, since the data
// network's end of N6 has no IPv6 address.
func (dp *Deployment) Pager() (page func(ue netip.Addr) error, closer io.Closer, err error) {
	links := dp.Site().Links()
	var s *tpacket.Sender
	if err := links.DNN6.NS.Do(func() (err error) { s, err = tpacket.OpenSender(links.DNN6.Name); return err }); err != nil {
		return nil, nil, err
	}
	from, to := [6]byte(links.DNN6.MAC), [6]byte(links.UPFN6.MAC)
	return func(ue netip.Addr) error {
		dn := dp.Scenario.N6.DN
		if ue.Is6() {
			dn = dp.Scenario.N6.DN6
		}
		frame := []tpacket.Parts{{Head: pageFrame(from, to, dn, ue)}}
		_, err := s.Send(frame)
		for try := 0; errors.Is(err, unix.EAGAIN) && try < 100; try++ { // what was sent before is still in the ring
			time.Sleep(100 * time.Microsecond)
			_, err = s.Send(frame)
		}
		if errors.Is(err, unix.ENOBUFS) { // lost, as on any link
			return nil
		}
		return err
	}, s, nil
}

// pageFrame is a UDP datagram of the data network to the discard port (RFC 863) of a UE.
func pageFrame(from, to [6]byte, dn, ue netip.Addr) []byte {
	const discard, etherIPv4, etherIPv6 = 9, 0x0800, 0x86dd
	kind := uint16(etherIPv4)
	if traffic.FamilyOf(ue) == traffic.IPv6 {
		kind = etherIPv6
	}
	b := binary.BigEndian.AppendUint16(append(to[:], from[:]...), kind)
	return append(b, packet.Inner{From: dn, To: ue, Protocol: packet.UDP, FromPort: discard, ToPort: discard, TTL: 64,
		Length: packet.DefaultLength}.Bytes(packet.Mark{})...)
}
