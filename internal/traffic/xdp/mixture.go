package xdp

import (
	"bytes"
	"errors"
	"fmt"
	"maps"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// newMixture loads a generator of all shapes of all flows, for schedules whose
// slots are not all alike.
func newMixture(c Config, at core) (*generator, error) {
	g := &generator{port: c.Paths[0].Send, core: at, buffers: c.Buffers}
	g.tables = &g.objects
	var longest uint32
	var contents, qfis, ports bool
	var families traffic.Families
	total := 0
	for i, p := range c.Paths {
		if err := checkFrames(p.Flow); err != nil {
			return nil, err
		}
		g.shapes = append(g.shapes, uint32(total))
		total += len(p.Flow.Shapes) * len(p.Flow.Kinds())
		g.kinds = append(g.kinds, uint32(len(p.Flow.Kinds())))
		families |= p.Flow.Families()
		g.streams[i] = uint32(len(p.Flow.Streams))
		longest = max(longest, g.streams[i])
		contents, qfis, ports = contents || hasContent(p.Flow), qfis || !p.Flow.OneQFI(), ports || p.Flow.OwnPorts()
		if p.Flow.Uplink() {
			g.gnbs = p.Flow.GNBs()
		}
		g.widen(p.Flow)
	}
	g.mask = powerOfTwo(longest) - 1
	entries := map[string]uint32{
		generatorMapStreams: (g.mask + 1) * uint32(len(c.Paths)), generatorMapShapes: uint32(total), generatorMapSlots: traffic.MaxSequence,
	}
	if contents {
		entries[generatorMapPayloads] = uint32(total)
	}
	constants := at.constants(0, 1)
	maps.Copy(constants, map[string]any{
		generatorVarMixed: uint32(1), generatorVarContents: flag(contents), generatorVarQfis: flag(qfis),
		generatorVarFamilies: uint32(families), generatorVarOuter6: flag(c.Paths[0].Flow.UPF.Is6()),
		generatorVarPorts: flag(ports),
	})
	if len(g.gnbs) > 1 {
		maps.Copy(constants, gnbConstants(g.gnbs))
	}
	if err := g.open(constants, entries); err != nil {
		return nil, err
	}
	if err := g.fillPaths(c.Paths, contents); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func hasContent(f *traffic.Flow) bool {
	for _, h := range f.Shapes {
		if h.Content != nil {
			return true
		}
	}
	return false
}

// widen makes the page as long as the flow's longest frame.
func (c *content) widen(f *traffic.Flow) {
	for _, s := range f.Kinds() {
		for i := range f.Shapes {
			if n := f.FrameBytes(s, i); n > len(c.page) {
				c.page = bytes.Repeat([]byte{signature.Fill}, n)
			}
		}
	}
}

func (g *generator) fillPaths(paths []Path, contents bool) error {
	for i, p := range paths {
		errs := []error{g.fillMixed(i, p.Flow), g.fillShapes(i, p.Flow), g.setPort(i, p.Send)}
		if contents {
			errs = append(errs, g.fillPayloads(i, p.Flow))
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
	return nil
}

// ueIPv6 is UE_IPV6 of generator.c.
const ueIPv6 = 0x80

// fillMixed writes a flow's sessions, with the sums of its first shape.
func (c *content) fillMixed(index int, flow *traffic.Flow) error {
	keys := make([]uint32, len(flow.Streams))
	values := make([]generatorStream, len(flow.Streams))
	for i, s := range flow.Streams {
		keys[i] = uint32(index)*(c.mask+1) + uint32(i)
		values[i] = c.streamOf(flow, i, 0)
		inner, outer := checksums(flow, s, 0)
		values[i].InnerIpCheck, values[i].OuterUdpCheck = ^inner, ^outer
		if s.UE.Is6() {
			values[i].Gnb |= ueIPv6
		}
	}
	return c.putStreams(keys, values)
}

// fillShapes writes a flow's shapes, each of both families where its streams have both. Sums do not care
// which stream of a family they are compared by.
func (c *content) fillShapes(index int, flow *traffic.Flow) error {
	kinds := flow.Kinds()
	for i := range flow.Shapes {
		for n, s := range kinds {
			h := shapeOf(flow, s, i)
			if err := c.tables.Shapes.Put(c.shapes[index]+uint32(i*len(kinds)+n), &h); err != nil {
				return fmt.Errorf("write shape %d of %s: %w", i, flow.Direction, err)
			}
		}
	}
	return nil
}

// shapeOf is a shape as streams of a family send it.
func shapeOf(flow *traffic.Flow, s traffic.Stream, shape int) generatorShape {
	inner0, outer0 := checksums(flow, s, 0)
	inner, outer := checksums(flow, s, shape)
	frame := flow.Frame(s, shape)
	return generatorShape{
		Headers: headerWords(frame), UdpSum: shapeSum(flow, shape),
		InnerIpSum: difference(^inner, ^inner0), OuterUdpSum: difference(^outer, ^outer0),
		Frame: uint32(len(frame)), Content: uint32(flow.PayloadBytes(shape) - signature.Bytes),
		Word: signature.Word(0, shape), Way: wayOf(flow), Ipv6: uint16(flag(s.UE.Is6())),
	}
}

// wayOf is what is before the inner packets of a flow: PLAIN, TUNNEL4 or TUNNEL6 of generator.c.
func wayOf(f *traffic.Flow) uint16 {
	const plain, tunnel4, tunnel6 = 0, 1, 2
	switch {
	case !f.Uplink():
		return plain
	case f.UPF.Is6():
		return tunnel6
	}
	return tunnel4
}

// shapeSum is by how much the sum of a shape's UDP datagrams is more than that of
// the flow's first shape.
func shapeSum(flow *traffic.Flow, shape int) uint64 {
	stream := flow.Streams[0]
	return uint64(difference(checksum.Fold(flow.UDPSum(stream, 0, shape)), checksum.Fold(flow.UDPSum(stream, 0, 0))))
}

// difference is a - b in one's complement, not yet folded, never 0.
func difference(a, b uint16) uint32 { return uint32(a) + uint32(^b) }

// fillPayloads writes what is behind the signatures.
func (c *content) fillPayloads(index int, flow *traffic.Flow) error {
	kinds := uint32(len(flow.Kinds()))
	for i := range flow.Shapes {
		var behind generatorContent
		copy(behind.Bytes[:], flow.Behind(i))
		for n := range kinds {
			if err := c.tables.Payloads.Put(c.shapes[index]+uint32(i)*kinds+n, &behind); err != nil {
				return fmt.Errorf("write the payload of shape %d of %s: %w", i, flow.Direction, err)
			}
		}
	}
	return nil
}

// shapeBits is SHAPE_BITS of mixture.h: above them an entry of the sequence has its flow.
const shapeBits = 24

// setSequence writes what a mixture's slots send.
func (c *content) setSequence(q traffic.Sequence, control *generatorControl) error {
	if c.shapes == nil {
		return nil
	}
	keys, values := make([]uint32, len(q)), make([]uint32, len(q))
	for i, s := range q {
		keys[i], values[i] = uint32(i), uint32(s.Flow)<<shapeBits|c.shapes[s.Flow]+uint32(s.Shape)*c.kinds[s.Flow]
	}
	control.Sequence = uint32(len(q))
	if _, err := c.tables.Slots.BatchUpdate(keys, values, nil); err != nil {
		return fmt.Errorf("write a sequence of %d slots: %w", len(q), err)
	}
	return nil
}
