package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// newGenerator loads a generator of one shape of a flow: all it decides by is
// constant.
func newGenerator(flow *traffic.Flow, shape int, port netdev.Port, at core) (*generator, error) {
	if err := checkFrames(flow); err != nil {
		return nil, err
	}
	n := uint32(len(flow.Streams))
	g := &generator{port: port, core: at}
	g.content = content{tables: &g.objects, slot: traffic.Slot{Shape: uint16(shape)}, streams: [MaxFlows]uint32{n}, mask: powerOfTwo(n) - 1}
	g.page = flow.Frame(flow.Streams[0], shape)
	constants := at.constants(0)
	maps.Copy(constants, map[string]any{
		generatorVarHeaders: headerWords(g.page), generatorVarUplink: flag(flow.Uplink()),
		generatorVarWord: signature.Word(0, shape), generatorVarQfis: flag(!flow.OneQFI()),
		generatorVarIpv6: flag(flow.Families() == traffic.IPv6), generatorVarOuter6: flag(flow.UPF.Is6()), generatorVarPorts: flag(flow.OwnPorts()),
	})
	if g.gnbs = flow.GNBs(); len(g.gnbs) > 1 {
		maps.Copy(constants, gnbConstants(g.gnbs))
	}
	err := g.open(constants, map[string]uint32{generatorMapStreams: g.mask + 1})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(g.fill(flow, shape), g.setPort(0, port)); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// gnbConstants are those of streams that differ in their gNB.
func gnbConstants(list []netip.Addr) map[string]any {
	var addresses [traffic.MaxGNBs]uint32
	for i, gnb := range list {
		addresses[i] = gnbWord(gnb)
	}
	return map[string]any{generatorVarGnbs: uint32(1), generatorVarGnbAddresses: addresses}
}

// headerWords are the first bytes of a frame as the program copies them.
func headerWords(frame []byte) (words [16]uint64) {
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(padded(frame, i*8))
	}
	return words
}

// fill writes the sessions, with their checksums for the shape.
func (c *content) fill(flow *traffic.Flow, shape int) error {
	keys := make([]uint32, len(flow.Streams))
	values := make([]generatorStream, len(flow.Streams))
	for i, s := range flow.Streams {
		keys[i] = uint32(i)
		values[i] = c.streamOf(flow, i, shape)
		inner, outer := checksums(flow, s, shape)
		values[i].InnerIpCheck, values[i].OuterUdpCheck = inner, outer
	}
	return c.putStreams(keys, values)
}

func (c *content) putStreams(keys []uint32, values []generatorStream) error {
	if _, err := c.tables.Streams.BatchUpdate(keys, values, nil); err != nil {
		return fmt.Errorf("write %d streams: %w", len(values), err)
	}
	return nil
}

// streamOf is a session but for its checksums.
func (c *content) streamOf(flow *traffic.Flow, session, shape int) generatorStream {
	s := flow.Streams[session]
	v := generatorStream{Ue: ueWord(s.UE), UdpSum: flow.UDPSum(s, session, shape), Port: swap16(s.SourcePort)}
	if flow.Uplink() {
		v.Teid, v.Qfi = swap32(s.UplinkTEID), flow.QFIOf(s)
		v.Gnb = uint8(max(slices.Index(c.gnbs, flow.GNBOf(s)), 0))
	}
	return v
}

// checksums are those of a frame's inner IP header, 0 where it is IPv6, and, uplink, of the outer UDP
// datagram.
func checksums(flow *traffic.Flow, s traffic.Stream, shape int) (innerIP, outerUDP uint16) {
	frame := flow.Frame(s, shape)
	inner := frame[14:]
	if flow.Uplink() {
		inner = frame[14+flow.TunnelBytes():]
		outerUDP = binary.LittleEndian.Uint16(frame[14+flow.Outer().Bytes+6:])
	}
	if s.UE.Is4() {
		innerIP = binary.LittleEndian.Uint16(inner[10:])
	}
	return innerIP, outerUDP
}
