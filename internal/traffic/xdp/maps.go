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

// loadError shortens the verifier's log to the lines that matter.
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

// readArray adds an array of counts into a histogram.
func readArray(m *ebpf.Map, h *traffic.Histogram) error {
	counts, err := batchRead[uint64](m)
	for i, n := range counts {
		h.Counts[i] += n
		h.Count += n
	}
	return err
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

// clearPerCPU zeroes a per-CPU array of counts.
func clearPerCPU(m *ebpf.Map) error {
	cpus, err := ebpf.PossibleCPU()
	if err != nil {
		return err
	}
	keys := make([]uint32, m.MaxEntries())
	for i := range keys {
		keys[i] = uint32(i)
	}
	zeros := make([]uint64, len(keys)*cpus)
	if _, err := m.BatchUpdate(keys, zeros, nil); err != nil {
		return fmt.Errorf("clear %s: %w", m, err)
	}
	return nil
}

// clearHash empties a hash of counts.
func clearHash(m *ebpf.Map) error {
	var key, value uint64
	var keys []uint64
	all := m.Iterate()
	for all.Next(&key, &value) {
		keys = append(keys, key)
	}
	for _, key := range keys {
		if err := m.Delete(key); err != nil {
			return fmt.Errorf("clear %s: %w", m, err)
		}
	}
	return all.Err()
}

func flag(on bool) uint32 {
	if on {
		return 1
	}
	return 0
}

// be32 is an IPv4 address as a program on a little-endian machine reads it; 0 where it is none.
func be32(a netip.Addr) uint32 {
	if !a.Is4() {
		return 0
	}
	b := a.As4()
	return binary.LittleEndian.Uint32(b[:])
}

// words6 are the words of an IPv6 address, likewise; of the unspecified one where there is none.
func words6(a netip.Addr) (words [4]uint32) {
	b := [16]byte{}
	if a.Is6() {
		b = a.As16()
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// gnbWord is the word of a gNB's address in which the gNBs of a flow differ: all of an IPv4 address, and
// the last one of an IPv6 address.
func gnbWord(a netip.Addr) uint32 {
	if a.Is6() {
		return words6(a)[3]
	}
	return be32(a)
}

// checkGNBs reports gNBs that differ in more than that word.
func checkGNBs(f *traffic.Flow) error {
	list := f.GNBs()
	if n := len(list); n > traffic.MaxGNBs {
		return fmt.Errorf("%d addresses of gNBs: a flow has %d at most", n, traffic.MaxGNBs)
	}
	for _, gnb := range list {
		if w, first := words6(gnb), words6(list[0]); gnb.Is6() && [3]uint32(w[:3]) != [3]uint32(first[:3]) {
			return fmt.Errorf("the gNBs %s and %s differ in more than the last 32 bits of their addresses: the XDP engine sends for no such gNBs",
				list[0], gnb)
		}
	}
	return nil
}

// ueWord is the word of a UE's address in which the UEs of a flow differ: all of an IPv4 address, and of
// an IPv6 address the second one, which ends its prefix of 64 bits.
func ueWord(a netip.Addr) uint32 {
	if a.Is6() {
		return words6(a)[1]
	}
	return be32(a)
}

// ue6 is an IPv6 address of a UE of the flow; the unspecified one where there is none. An error means
// that others differ from it in more than their second word.
func ue6(f *traffic.Flow) (first [4]uint32, err error) {
	known := false
	for _, s := range f.Streams {
		if !s.UE.Is6() {
			continue
		}
		w := words6(s.UE)
		if !known {
			first, known = w, true
		}
		if w[1] = first[1]; w != first {
			return first, fmt.Errorf("the UE addresses %s and others are not in one IPv6 pool of /32 or longer, with one "+
				"interface identifier: the XDP engine sends to no others", s.UE)
		}
	}
	return first, nil
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
