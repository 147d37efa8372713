package hosts

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/traffic"
)

// streams are sessions in a few octets: most differ from the one before by as much as that
// one did. All numbers are differences, modulo 2^32.
type streams struct {
	UE, Uplink, Downlink []uint32
	QFI                  []byte
}

func packStreams(list []traffic.Stream) (p streams) {
	var ue, up, down uint32
	for _, s := range list {
		address := s.UE.As4()
		now := binary.BigEndian.Uint32(address[:])
		p.UE = append(p.UE, now-ue)
		p.Uplink, p.Downlink = append(p.Uplink, s.UplinkTEID-up), append(p.Downlink, s.DownlinkTEID-down)
		p.QFI = append(p.QFI, s.QFI)
		ue, up, down = now, s.UplinkTEID, s.DownlinkTEID
	}
	return p
}

func (p streams) unpack() ([]traffic.Stream, error) {
	n := len(p.UE)
	if n == 0 || n > traffic.MaxStreams || len(p.Uplink) != n || len(p.Downlink) != n || len(p.QFI) != n {
		return nil, fmt.Errorf("%d sessions with %d and %d TEIDs and %d QFIs", n, len(p.Uplink), len(p.Downlink), len(p.QFI))
	}
	list := make([]traffic.Stream, n)
	var ue, up, down uint32
	for i := range list {
		ue, up, down = ue+p.UE[i], up+p.Uplink[i], down+p.Downlink[i]
		var address [4]byte
		binary.BigEndian.PutUint32(address[:], ue)
		list[i] = traffic.Stream{UE: netip.AddrFrom4(address), UplinkTEID: up, DownlinkTEID: down, QFI: p.QFI[i]}
	}
	return list, nil
}
