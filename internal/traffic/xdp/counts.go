package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/proto/histogram"
	"github.com/upflab/upflab/internal/traffic"
)

// counts are a histogram of the sink in memory that both share: one for each CPU,
// behind each other. Reading it takes microseconds, and no system call stops the
// generator for that long.
type counts struct{ memory *ebpf.Memory }

// sizeCounts gives the maps room for every CPU, before they are made.
func sizeCounts(spec *ebpf.CollectionSpec, names ...string) error {
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	for _, name := range names {
		spec.Maps[name].MaxEntries = uint32(histogram.Buckets * cpus)
	}
	return nil
}

func mapCounts(m *ebpf.Map) (counts, error) {
	memory, err := m.Memory()
	if err != nil {
		return counts{}, fmt.Errorf("map %s: %w", m, err)
	}
	return counts{memory}, nil
}

// add adds the counts to a histogram's.
func (c counts) add(h *traffic.Histogram) error {
	b := make([]byte, c.memory.Size())
	if _, err := c.memory.ReadAt(b, 0); err != nil {
		return fmt.Errorf("read histogram: %w", err)
	}
	const each = 8
	for cpu := b; len(cpu) >= each*histogram.Buckets; cpu = cpu[each*histogram.Buckets:] {
		for i := range h.Counts {
			n := binary.NativeEndian.Uint64(cpu[each*i:])
			h.Counts[i] += n
			h.Count += n
		}
	}
	return nil
}

func (c counts) clear() error {
	if _, err := c.memory.WriteAt(make([]byte, c.memory.Size()), 0); err != nil {
		return fmt.Errorf("clear histogram: %w", err)
	}
	return nil
}

// histograms are the arrays in which the sink's program counts by time.
type histograms struct{ latency, actual, ipdv, extents, returns counts }

func mapHistograms(o *sinkObjects) (h histograms, err error) {
	var errs [5]error
	h.latency, errs[0] = mapCounts(o.Latency)
	h.actual, errs[1] = mapCounts(o.Actual)
	h.ipdv, errs[2] = mapCounts(o.Ipdv)
	h.extents, errs[3] = mapCounts(o.Extents)
	h.returns, errs[4] = mapCounts(o.Returns)
	return h, errors.Join(errs[:]...)
}

func (h histograms) clear() error {
	return errors.Join(h.latency.clear(), h.actual.clear(), h.ipdv.clear(), h.extents.clear(), h.returns.clear())
}
