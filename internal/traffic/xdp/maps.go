package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"strings"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/traffic"
)

// setAll sets constants before a program is loaded.
func setAll(spec *ebpf.CollectionSpec, values map[string]any) error {
	for name, value := range values {
		if err := spec.Variables[name].Set(value); err != nil {
			return fmt.Errorf("set constant %s: %w", name, err)
		}
	}
	return nil
}

// loadError shortens the verifier's log to the lines that tell.
func loadError(what string, err error) error {
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("load the %s: %w (run as root, or with CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON)", what, err)
	}
	var verifier *ebpf.VerifierError
	if errors.As(err, &verifier) {
		return fmt.Errorf("the kernel's verifier refused the %s: %s", what, strings.TrimSpace(fmt.Sprintf("%-3v", verifier)))
	}
	return fmt.Errorf("load the %s: %w", what, err)
}

// readPerCPU adds a per-CPU array of counts into a histogram.
func readPerCPU(m *ebpf.Map, h *traffic.Histogram) error {
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	keys, values := make([]uint32, m.MaxEntries()), make([]uint64, int(m.MaxEntries())*cpus)
	var cursor ebpf.MapBatchCursor
	n, err := m.BatchLookup(&cursor, keys, values, nil)
	if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return fmt.Errorf("read histogram: %w", err)
	}
	for i, key := range keys[:n] {
		for _, count := range values[i*cpus : (i+1)*cpus] {
			h.Counts[key] += count
			h.Count += count
		}
	}
	return nil
}

// readArray adds an array of counts into a histogram.
func readArray(m *ebpf.Map, h *traffic.Histogram) error {
	keys, values := make([]uint32, m.MaxEntries()), make([]uint64, m.MaxEntries())
	var cursor ebpf.MapBatchCursor
	n, err := m.BatchLookup(&cursor, keys, values, nil)
	if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return fmt.Errorf("read histogram: %w", err)
	}
	for i := range n {
		h.Counts[keys[i]] += values[i]
		h.Count += values[i]
	}
	return nil
}

// clearArray zeroes an array of counts.
func clearArray(m *ebpf.Map) error {
	keys, zeros := make([]uint32, m.MaxEntries()), make([]uint64, m.MaxEntries())
	for i := range keys {
		keys[i] = uint32(i)
	}
	if _, err := m.BatchUpdate(keys, zeros, nil); err != nil {
		return fmt.Errorf("clear histogram: %w", err)
	}
	return nil
}

// clearPerCPU zeroes a per-CPU array.
func clearPerCPU(m *ebpf.Map) error {
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	words := int(m.ValueSize()+7) / 8
	zero := make([][]byte, cpus)
	for i := range zero {
		zero[i] = make([]byte, words*8)
	}
	for key := range m.MaxEntries() {
		if err := m.Put(key, zero); err != nil {
			return fmt.Errorf("clear %s: %w", m, err)
		}
	}
	return nil
}

func flag(on bool) uint32 {
	if on {
		return 1
	}
	return 0
}

// be32 is an IPv4 address as a program on a little-endian machine reads it.
func be32(a netip.Addr) uint32 {
	b := a.As4()
	return binary.LittleEndian.Uint32(b[:])
}

// powerOfTwo is the next power of two that is not below n.
func powerOfTwo(n uint32) uint32 { return 1 << bits.Len32(n-1) }

// padded is eight bytes of b at i, zeros past its end.
func padded(b []byte, i int) []byte {
	var w [8]byte
	if i < len(b) {
		copy(w[:], b[i:])
	}
	return w[:]
}

func monotonic() uint64 {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) // cannot fail
	return uint64(ts.Nano())
}
