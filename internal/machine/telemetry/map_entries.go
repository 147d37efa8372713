package telemetry

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/cilium/ebpf"
)

// MapEntries is how many entries the BPF maps have that processes hold open, by name; maps of one name together. Arrays
// are left out: they are always full. So are tables of what was used last, which make room by themselves. So are maps that this kernel does not let us read.
func MapEntries(pids []int) map[string]int {
	seen, entries := map[string]bool{}, map[string]int{}
	for _, pid := range pids {
		paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
		for _, path := range paths {
			text := fdinfo(path)["map_id"]
			id, err := strconv.ParseUint(text, 10, 32)
			if err != nil || seen[text] {
				continue
			}
			seen[text] = true
			if name, n, err := entriesOf(ebpf.MapID(id)); err == nil {
				entries[name] += n
			}
		}
	}
	return entries
}

// mostEntries bounds how long a map is counted.
const mostEntries = 1 << 20

// errNotCounted is of a map whose entries are no matter of sessions, or are too many.
var errNotCounted = errors.New("its entries are not counted")

// entriesOf counts the keys of a map.
func entriesOf(id ebpf.MapID) (name string, n int, err error) {
	m, err := ebpf.NewMapFromID(id)
	if err != nil {
		return "", 0, err
	}
	defer m.Close()
	info, err := m.Info()
	if err != nil {
		return "", 0, err
	}
	switch info.Type {
	case ebpf.Hash, ebpf.PerCPUHash, ebpf.LPMTrie, ebpf.HashOfMaps, ebpf.SockHash:
	default:
		return "", 0, errNotCounted
	}
	key, next := []byte(nil), make([]byte, info.KeySize)
	for ; n < mostEntries; n++ {
		var from any
		if key != nil {
			from = key
		}
		if err := m.NextKey(from, next); errors.Is(err, ebpf.ErrKeyNotExist) {
			return info.Name, n, nil
		} else if err != nil {
			return "", 0, err
		}
		key = append(key[:0], next...)
	}
	return "", 0, errNotCounted
}
