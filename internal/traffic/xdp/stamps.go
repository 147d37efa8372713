package xdp

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// stamps are what a sink knows by the NIC's times of reception. Its programs are bound to the
// port's device.
type stamps struct {
	program *ebpf.Program
	totals  *ebpf.Map
	ahead   *ebpf.Map
	latency *ebpf.Map
	counts  counts
	clock   nicClock
	sum     traffic.Stamps // of the clock's readings
}

// nicClock says by how much CLOCK_MONOTONIC is ahead of a NIC's clock, and how exactly that is known,
// ns.
type nicClock func() (ahead int64, errorNS uint64, err error)

// openStamps loads the sink's program for the port's NIC, over the same maps, and puts it in the other
// one's place.
func (s *sink) openStamps(clock nicClock) (err error) {
	spec, err := s.stampedSpec(nil)
	if err != nil {
		return err
	}
	if err := sizeCounts(spec, stampedMapStampLatency); err != nil {
		return err
	}
	var o struct {
		Sink    *ebpf.Program `ebpf:"sink"`
		Totals  *ebpf.Map     `ebpf:"stamp_totals"`
		Ahead   *ebpf.Map     `ebpf:"stamp_ahead"`
		Latency *ebpf.Map     `ebpf:"stamp_latency"`
	}
	if err := s.port.NS.Do(func() error { return s.loaded.again(spec, nil, &o) }); err != nil {
		return loadError("sink with the NIC's times", err)
	}
	k := &stamps{program: o.Sink, totals: o.Totals, ahead: o.Ahead, latency: o.Latency, clock: clock}
	if k.counts, err = mapCounts(k.latency); err == nil {
		err = s.link.Update(k.program)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("have the sink at %s read the NIC's times: %w", s.port.Name, err), k.close())
	}
	s.stamps = k
	return nil
}

// stampedSpec loads the sink that reads the NIC's times, and sets the constants of every sink and those in more.
func (s *sink) stampedSpec(more map[string]any) (*ebpf.CollectionSpec, error) {
	spec, err := loadStamped()
	if err != nil {
		return nil, err
	}
	delete(spec.Programs, "pass")
	p := spec.Programs["sink"]
	p.Ifindex, p.Flags = uint32(s.port.Index), p.Flags|unix.BPF_F_XDP_DEV_BOUND_ONLY
	return spec, errors.Join(setAll(spec, s.constants), setAll(spec, more))
}

// openStampedWindows is openWindows of a sink that reads the NIC's times.
func (s *sink) openStampedWindows(parts int, windowed map[string]any) error {
	spec, err := s.stampedSpec(windowed)
	if err != nil {
		return err
	}
	maps, slots, state, err := makeWindows[window.Received](spec, parts)
	if err != nil {
		return err
	}
	other := map[string]*ebpf.Map{stampedMapStampTotals: s.stamps.totals, stampedMapStampAhead: s.stamps.ahead,
		stampedMapStampLatency: s.stamps.latency}
	for name, m := range maps.maps {
		other[name] = m
	}
	var loaded struct {
		Sink *ebpf.Program `ebpf:"sink"`
	}
	if err := s.port.NS.Do(func() error { return s.loaded.again(spec, other, &loaded) }); err != nil {
		return errors.Join(loadError("sink of windows with the NIC's times", err), maps.close())
	}
	s.windows.maps, s.windows.program = maps, loaded.Sink
	s.windows.ring = window.Over[window.Received, *window.Received](slots, state)
	return nil
}

// begin forgets the last trial, and reads the NIC's clock.
func (k *stamps) begin() error {
	if k == nil {
		return nil
	}
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	ahead, errorNS, err := k.clock()
	k.sum = traffic.Stamps{AheadNS: ahead, ErrorNS: errorNS, Why: clockWhy(err)}
	return errors.Join(k.ahead.Put(uint32(0), uint64(ahead)), k.totals.Put(uint32(0), make([]stampedStamps, cpus)), k.counts.clear())
}

// read adds what the program counted. The clocks may have drifted apart since the trial began: by as
// much the latencies may be wrong, too.
func (k *stamps) read(o *traffic.Stamps) error {
	if k == nil {
		return nil
	}
	var each []stampedStamps
	if err := k.totals.Lookup(uint32(0), &each); err != nil {
		return fmt.Errorf("read the NIC's times: %w", err)
	}
	*o = k.sum
	h := &o.Latency
	for _, t := range each {
		o.Without, o.Early = o.Without+t.Without, o.Early+t.Early
		if t.With == 0 {
			continue
		}
		if o.With == 0 || t.Min < h.Min {
			h.Min = t.Min
		}
		o.With, h.Sum, h.Max = o.With+t.With, h.Sum+t.Sum, max(h.Max, t.Max)
	}
	ahead, errorNS, err := k.clock()
	if err != nil || o.Why != "" {
		*o = traffic.Stamps{Why: cmp.Or(o.Why, clockWhy(err))}
		return nil
	}
	o.ErrorNS = max(o.ErrorNS, errorNS) + distance(ahead, k.sum.AheadNS)
	return k.counts.add(h)
}

// clockWhy is why latencies by the NIC's times are not known; "" for no error. The trial is as good
// without them.
func clockWhy(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("the NIC's clock could not be read: %v", err)
}

func distance(a, b int64) uint64 { return uint64(max(a-b, b-a)) }

func (k *stamps) close() error {
	if k == nil {
		return nil
	}
	return errors.Join(closeAll(k.program), k.totals.Close(), k.ahead.Close(), k.latency.Close())
}
