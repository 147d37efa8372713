package xdp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/traffic"
)

// trackWords is the reordering window in words of 64 packets, as in track.h.
const trackWords = len(sinkTrack{}.Window)

// bySession reads what was received of each session of a trial, and the runs of lost
// packets: those that the program has counted, and those that each stream ends with, of
// which so many were sent.
func (s *sink) bySession(sent []uint64, o *traffic.FlowOutcome) error {
	runs := map[uint64]uint64{}
	if err := errors.Join(s.shortRuns(runs), s.longRuns(runs)); err != nil {
		return err
	}
	tracks, err := batchRead[sinkTrack](s.objects.Tracks)
	if err != nil {
		return err
	}
	o.ReceivedBySession = make([]uint64, len(sent))
	for i, n := range sent {
		if tracks[i].Trial != s.trial {
			tracks[i] = sinkTrack{} // nothing of it has arrived
		}
		tracks[i].finish(n, func(length uint64) { runs[length]++ })
		o.ReceivedBySession[i] = uint64(tracks[i].Arrived)
	}
	for length, n := range runs {
		o.LossRuns = append(o.LossRuns, traffic.LossRun{Length: length, Count: n})
	}
	slices.SortFunc(o.LossRuns, func(a, b traffic.LossRun) int { return cmp.Compare(a.Length, b.Length) })
	return nil
}

// finish gives the runs that are still in the window, and the one up to the last
// packet sent.
func (k *sinkTrack) finish(sent uint64, found func(length uint64)) {
	run := k.Run
	for seq := k.windowStart(); seq < k.Next; seq++ {
		if k.Window[seq>>6%uint64(trackWords)]>>(seq&63)&1 == 0 {
			run++
			continue
		}
		if run > 0 {
			found(run)
		}
		run = 0
	}
	if sent > k.Next {
		run += sent - k.Next
	}
	if run > 0 {
		found(run)
	}
}

// windowStart is the first number whose fate the program has not decided yet.
func (k *sinkTrack) windowStart() uint64 {
	if k.Next == 0 {
		return 0
	}
	last := (k.Next - 1) >> 6
	return (last - min(last, uint64(trackWords-1))) << 6
}

func (s *sink) shortRuns(runs map[uint64]uint64) error {
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	counts, err := batchReadN[uint64](s.objects.ShortRuns, cpus)
	for i, n := range counts {
		if n > 0 {
			runs[uint64(i/cpus)] += n
		}
	}
	return err
}

func (s *sink) longRuns(runs map[uint64]uint64) error {
	var length, n uint64
	all := s.objects.LongRuns.Iterate()
	for all.Next(&length, &n) {
		runs[length] += n
	}
	if err := all.Err(); err != nil {
		return fmt.Errorf("read runs of lost packets: %w", err)
	}
	return nil
}

// batchRead reads a whole array map.
func batchRead[T any](m *ebpf.Map) ([]T, error) { return batchReadN[T](m, 1) }

// batchReadN reads a whole array map with so many values at each key.
func batchReadN[T any](m *ebpf.Map, each int) ([]T, error) {
	keys, values := make([]uint32, m.MaxEntries()), make([]T, int(m.MaxEntries())*each)
	var cursor ebpf.MapBatchCursor
	n, err := m.BatchLookup(&cursor, keys, values, nil)
	if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return nil, fmt.Errorf("read %s: %w", m, err)
	}
	return values[:n*each], nil
}
