package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// sink receives one flow at one port.
type sink struct {
	objects    sinkObjects
	loaded     *collection
	constants  map[string]any
	histograms histograms
	link       link.Link
	port       netdev.Port
	generic    bool // the program is not in the driver
	trial      uint16
	windows    sinkWindows
	stamps     *stamps // nil: the NIC's times are not read
	noStamps   string  // why, where the NIC has them
	clock      *Clock
	sendsBack  bool // it can
}

var _ traffic.Sink = (*sink)(nil)

func newSink(flow *traffic.Flow, back *Back, port netdev.Port) (*sink, error) {
	queues, err := port.Queues().Receiving()
	if err != nil {
		return nil, err
	}
	s, err := attachedSink(flow, back, port, queues > 1)
	if err == nil && s.generic && queues == 1 { // whichever CPU a frame comes from is the one that receives it
		err = s.Close()
		if err == nil {
			s, err = attachedSink(flow, back, port, true)
		}
	}
	if err == nil {
		s.readNICTimes(port)
	}
	return s, err
}

// attachedSink puts a sink on a port, where packets may arrive on several CPUs at the same
// time or not.
func attachedSink(flow *traffic.Flow, back *Back, port netdev.Port, several bool) (*sink, error) {
	s, err := openSink(flow, back, several)
	if err != nil {
		return nil, err
	}
	if err := s.attach(port); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// openSink loads the program and what it is to expect, and to send back; nil: nothing.
func openSink(flow *traffic.Flow, back *Back, several bool) (*sink, error) {
	s := &sink{sendsBack: back != nil}
	spec, err := loadSink()
	if err != nil {
		return nil, err
	}
	n, shapes, contents := uint32(len(flow.Streams)), uint32(len(flow.Shapes)), hasContent(flow)
	spec.Maps[sinkMapExpected].MaxEntries = n
	spec.Maps[sinkMapTracks].MaxEntries = n
	if several {
		spec.Maps[sinkMapTrackLocks].MaxEntries = n
	}
	spec.Maps[sinkMapExpectedShapes].MaxEntries = shapes
	spec.Maps[sinkMapPorts].MaxEntries = shapes
	if contents {
		spec.Maps[sinkMapPayloads].MaxEntries = shapes
	}
	if err := sizeCounts(spec, sinkMapLatency, sinkMapActual, sinkMapIpdv, sinkMapExtents, sinkMapReturns); err != nil {
		return nil, err
	}
	want, err := expectation(flow)
	if err != nil {
		return nil, err
	}
	s.constants = map[string]any{
		sinkVarWant: want, sinkVarOnly: expectedShape(flow, 0),
		sinkVarStreamCount: n, sinkVarShapeCount: shapes, sinkVarContents: flag(contents),
		sinkVarQfis: flag(!flow.OneQFI()), sinkVarOwnPorts: flag(flow.OwnPorts()), sinkVarGnbs: flag(len(flow.GNBs()) > 1), sinkVarLocked: flag(several), sinkVarBack: back.turn(),
	}
	if err := setAll(spec, s.constants); err != nil {
		return nil, err
	}
	if s.loaded, err = load(spec, &s.objects); err != nil {
		return nil, loadError("sink", err)
	}
	if s.histograms, err = mapHistograms(&s.objects); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := errors.Join(s.fill(flow), s.fillShapes(flow, contents)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// expectation turns the flow into what the program compares with.
func expectation(f *traffic.Flow) (sinkExpect, error) {
	first, err := ue6(f)
	e := sinkExpect{
		Encapsulated: flag(f.Expect.Encapsulated), Uplink: flag(f.Uplink()), Peer: be32(f.DN),
		Families: uint32(f.Families()), Ue6: first, Peer6: words6(f.DN6),
		Psc: flag(f.Expect.PSC || f.Expect.Unchanged), Qfi: f.QFI,
		Outer6: flag(f.UPF.Is6()), Upf: be32(f.UPF), Gnb: be32(f.GNBs()[0]), Upf6: words6(f.UPF), Gnb6: words6(f.GNBs()[0]), Fragment: swap16(f.Fragment()), Ecn: uint8(f.ECN),
	}
	if f.Expect.Unchanged && f.Uplink() {
		e.PscType = 1
	}
	copy(e.Mac[:], f.Expect.MAC)
	return e, err
}

// expectedShape turns a shape into what the program compares with.
func expectedShape(f *traffic.Flow, shape int) sinkExpectedShape {
	h := f.Shapes[shape]
	datagram := uint16(8 + h.Payload)
	return sinkExpectedShape{
		UdpSum: shapeSum(f, shape), SourcePort: swap16(h.SourcePort), DestinationPort: swap16(h.DestinationPort),
		IpLength: swap16(20 + datagram), UdpLength: swap16(datagram), Payload: uint16(h.Payload),
	}
}

func (s *sink) fill(f *traffic.Flow) error {
	keys := make([]uint32, len(f.Streams))
	values := make([]sinkExpectedStream, len(f.Streams))
	for i, stream := range f.Streams {
		teid := stream.DownlinkTEID
		if f.Expect.Unchanged && f.Uplink() {
			teid = stream.UplinkTEID
		}
		keys[i] = uint32(i)
		values[i] = sinkExpectedStream{UdpSum: f.UDPSum(stream, i, 0), Teid: swap32(teid), Ue: ueWord(stream.UE), Ipv6: uint8(flag(stream.UE.Is6())),
			Qfi: f.QFIOf(stream), Gnb: gnbWord(f.GNBOf(stream)), Back: swap32(stream.UplinkTEID), Port: swap16(stream.SourcePort)}
	}
	if _, err := s.objects.Expected.BatchUpdate(keys, values, nil); err != nil {
		return fmt.Errorf("write %d expected streams: %w", len(values), err)
	}
	return nil
}

// fillShapes writes the shapes of a flow that has several, and their contents.
func (s *sink) fillShapes(f *traffic.Flow, contents bool) error {
	for i, h := range f.Shapes {
		e := expectedShape(f, i)
		err := errors.Join(s.objects.ExpectedShapes.Put(uint32(i), &e), s.objects.Ports.Put(e.DestinationPort, uint8(1)))
		if contents {
			var c sinkContent
			copy(c.Bytes[:], f.Behind(i))
			err = errors.Join(err, s.objects.Payloads.Put(uint32(i), &c))
		}
		if err != nil {
			return fmt.Errorf("write the expected shape %d, of %d octets: %w", i, h.Payload, err)
		}
	}
	return nil
}

// attach puts the program on the port.
func (s *sink) attach(port netdev.Port) (err error) {
	s.port = port
	s.link, s.generic, err = attachXDP(s.objects.Sink, port)
	return err
}

// Begin implements traffic.Sink: it forgets the last trial and counts the packets of this one.
func (s *sink) Begin(trial uint16) error {
	s.trial = trial
	if err := errors.Join(s.objects.Trial.Set(trial), s.objects.Ahead.Set(s.clock.Ahead())); err != nil {
		return fmt.Errorf("set the sink's trial: %w", err)
	}
	s.windows.begin()
	o := &s.objects
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	if err := o.Totals.Put(uint32(0), make([]sinkTotals, cpus)); err != nil {
		return fmt.Errorf("clear the sink's totals: %w", err)
	}
	return errors.Join(s.stamps.begin(), s.histograms.clear(), clearPerCPU(o.ShortRuns), clearHash(o.LongRuns))
}

// totals adds the CPUs up.
func (s *sink) totals() (sum sinkTotals, err error) {
	var each []sinkTotals
	if err := s.objects.Totals.Lookup(uint32(0), &each); err != nil {
		return sum, fmt.Errorf("read the sink: %w", err)
	}
	for _, t := range each {
		addTotals(&sum, t)
	}
	return sum, nil
}

func addTotals(sum *sinkTotals, t sinkTotals) {
	if t.Rx > 0 {
		if sum.Rx == 0 || t.LatencyMin < sum.LatencyMin {
			sum.LatencyMin = t.LatencyMin
		}
		if sum.Rx == 0 || t.ActualMin < sum.ActualMin {
			sum.ActualMin = t.ActualMin
		}
		if sum.Rx == 0 || t.First < sum.First {
			sum.First = t.First
		}
	}
	if t.IpdvCount > 0 && (sum.IpdvCount == 0 || t.IpdvMin < sum.IpdvMin) {
		sum.IpdvMin = t.IpdvMin
	}
	if t.ExtentCount > 0 && (sum.ExtentCount == 0 || t.ExtentMin < sum.ExtentMin) {
		sum.ExtentMin = t.ExtentMin
	}
	sum.IpdvMax = max(sum.IpdvMax, t.IpdvMax)
	sum.ExtentMax = max(sum.ExtentMax, t.ExtentMax)
	sum.IpdvCount += t.IpdvCount
	sum.IpdvSum += t.IpdvSum
	sum.ExtentCount += t.ExtentCount
	sum.ExtentSum += t.ExtentSum
	sum.ExtentUnknown += t.ExtentUnknown
	sum.LatencyMax = max(sum.LatencyMax, t.LatencyMax)
	sum.ActualMax = max(sum.ActualMax, t.ActualMax)
	sum.Last = max(sum.Last, t.Last)
	sum.Rx += t.Rx
	sum.Marked += t.Marked
	sum.Bytes += t.Bytes
	sum.Duplicates += t.Duplicates
	sum.Reordered += t.Reordered
	sum.Stale += t.Stale
	sum.Foreign += t.Foreign
	sum.Uncounted += t.Uncounted
	addReturns(sum, t)
	sum.LatencySum += t.LatencySum
	sum.ActualSum += t.ActualSum
	sum.JitterSum += t.JitterSum
	sum.JitterCount += t.JitterCount
	for i := range t.Wrong {
		sum.Wrong[i] += t.Wrong[i]
	}
}

// Received implements traffic.Sink: it counts the packets of the trial that arrived so far. A reading
// that fails is 0: a progress line may miss one.
func (s *sink) Received() uint64 {
	t, _ := s.totals()
	return t.Rx
}

// AddLatency implements traffic.Sink: it adds the latencies so far to the counts of h.
func (s *sink) AddLatency(h *traffic.Histogram) error {
	if s.windows.on {
		s.windows.addLatency(h)
		return nil
	}
	return s.histograms.latency.add(h)
}

// Outcome implements traffic.Sink: it ends the trial and gives what arrived.
func (s *sink) Outcome(sent []uint64) (o traffic.FlowOutcome, err error) {
	if err := s.read(&o); err != nil {
		return o, err
	}
	err = s.bySession(sent, &o)
	return o, err
}

// read reads what the program saw, but for the loss runs.
func (s *sink) read(o *traffic.FlowOutcome) error {
	t, err := s.totals()
	if err != nil {
		return err
	}
	o.Received, o.ReceivedBytes, o.Duplicates, o.Reordered, o.Foreign = t.Rx, t.Bytes, t.Duplicates, t.Reordered, t.Foreign
	o.Receiving, o.Marked = traffic.Span{First: t.First, Last: t.Last}, t.Marked
	o.ReceiveSeconds = o.Receiving.Seconds(t.Rx)
	names := traffic.Faults()
	for i, n := range t.Wrong {
		if n > 0 {
			o.Wrong = append(o.Wrong, record.Count{Place: names[i], Packets: n})
		}
	}
	if len(o.Wrong) > 0 {
		o.Specimen = s.specimen()
	}
	o.Jitter = traffic.Jitter{Sum: t.JitterSum, Count: t.JitterCount}
	o.JitterNS = o.Jitter.Nanoseconds()
	o.ExtentUnknown = t.ExtentUnknown
	o.Stamps.Why = s.noStamps
	o.RoundTrips.Turned, o.RoundTrips.StayNS = t.Turned, t.TurnSum
	if err := s.stamps.read(&o.Stamps); err != nil {
		return err
	}
	return s.distributions(t, o)
}

func (s *sink) distributions(t sinkTotals, o *traffic.FlowOutcome) error {
	o.Latency.Sum, o.Latency.Min, o.Latency.Max = t.LatencySum, t.LatencyMin, t.LatencyMax
	o.Actual.Sum, o.Actual.Min, o.Actual.Max = t.ActualSum, t.ActualMin, t.ActualMax
	o.IPDV.Sum, o.IPDV.Min, o.IPDV.Max = t.IpdvSum, t.IpdvMin, t.IpdvMax
	o.Extents.Sum, o.Extents.Min, o.Extents.Max = t.ExtentSum, t.ExtentMin, t.ExtentMax
	back := &o.RoundTrips.Returns
	back.Sum, back.Min, back.Max = t.ReturnSum, t.ReturnMin, t.ReturnMax
	return errors.Join(
		s.histograms.returns.add(back), s.histograms.latency.add(&o.Latency), s.histograms.actual.add(&o.Actual),
		s.histograms.ipdv.add(&o.IPDV), s.histograms.extents.add(&o.Extents))
}

func (s *sink) specimen() []byte {
	var p sinkSpecimen
	if s.objects.Specimens.Lookup(uint32(0), &p) != nil {
		return nil
	}
	return p.Bytes[:min(int(p.Length), len(p.Bytes))]
}

// Close implements traffic.Sink: it frees what the sink uses.
func (s *sink) Close() error {
	if s.link != nil {
		s.link.Close()
	}
	s.loaded.close()
	return errors.Join(s.windows.close(), s.stamps.close(), s.objects.Close())
}

// swap16 and swap32 turn host order (little-endian) into network order.
func swap16(v uint16) uint16 {
	return binary.BigEndian.Uint16(binary.LittleEndian.AppendUint16(nil, v))
}
func swap32(v uint32) uint32 {
	return binary.BigEndian.Uint32(binary.LittleEndian.AppendUint32(nil, v))
}
