package attack

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"path"

	"github.com/upflab/upflab/internal/proto/pcap"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// captures are of SMFs at work, taken by testdata/record.sh: N4 alone, with the
// placeholders for addresses, TEIDs and the UPF's SEIDs.
//
//go:embed testdata/*.pcap
var captures embed.FS

// frozen are the requests of SMFs in the captures.
func frozen() (list [][]byte, err error) {
	files, err := captures.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		b, err := captures.ReadFile(path.Join("testdata", f.Name()))
		if err != nil {
			return nil, err
		}
		requests, err := requestsIn(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		list = append(list, requests...)
	}
	return list, nil
}

// requestsIn are the PFCP messages that the SMF of a capture sent.
func requestsIn(capture []byte) (list [][]byte, err error) {
	r, err := pcap.NewReader(bytes.NewReader(capture))
	if err != nil {
		return nil, err
	}
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		if m := fromSMF(p.Data); m != nil {
			list = append(list, bytes.Clone(m))
		}
	}
}

// fromSMF is the PFCP message in a frame, when the SMF sent it; else nil.
func fromSMF(frame []byte) []byte {
	const ethernet, ip, udp = 14, 20, 8
	if len(frame) < ethernet+ip+udp || binary.BigEndian.Uint16(frame[12:]) != 0x0800 || frame[ethernet] != 0x45 || frame[ethernet+9] != 17 {
		return nil
	}
	datagram := frame[ethernet+ip:]
	from, _ := netip.AddrFromSlice(frame[ethernet+12 : ethernet+16])
	if from != smfPlaceholder || binary.BigEndian.Uint16(datagram[2:]) != pfcp.Port {
		return nil
	}
	return datagram[udp:]
}
