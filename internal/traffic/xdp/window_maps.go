package xdp

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/traffic/window"
)

// sentRing and receivedRing are the rings of windows of the programs.
type (
	sentRing     = window.Ring[window.Sent, *window.Sent]
	receivedRing = window.Ring[window.Received, *window.Received]
)

// Names of the maps of window.h, and of those that it is about.
const (
	windowSlots  = "windows"
	windowStates = "window_states"
)

// windowMaps are the maps of a ring, in memory that both share.
type windowMaps struct {
	maps   map[string]*ebpf.Map
	memory [][]byte
}

// makeWindows makes maps for so many parts, 13 MB each of a sink and 4.5 of a
// generator, and gives what is in them.
func makeWindows[T any](spec *ebpf.CollectionSpec, parts int) (w *windowMaps, slots []T, state *window.State, err error) {
	w = &windowMaps{maps: map[string]*ebpf.Map{}}
	slots, err = mapWindows[T](w, spec.Maps[windowSlots], window.Slots(parts))
	if err == nil {
		var states []window.State
		if states, err = mapWindows[window.State](w, spec.Maps[windowStates], 1); err == nil {
			return w, slots, &states[0], nil
		}
	}
	return nil, nil, nil, errors.Join(err, w.close())
}

func mapWindows[T any](w *windowMaps, spec *ebpf.MapSpec, n int) ([]T, error) {
	spec = spec.Copy()
	spec.MaxEntries = uint32(n)
	m, err := ebpf.NewMap(spec)
	if err != nil {
		return nil, fmt.Errorf("make the map %s of %d MB: %w", spec.Name, n*int(spec.ValueSize)>>20, err)
	}
	w.maps[spec.Name] = m
	var one T
	if size := int(unsafe.Sizeof(one)); size != int(m.ValueSize()) {
		return nil, fmt.Errorf("the map %s has %d octets in each entry, not %d", spec.Name, m.ValueSize(), size)
	}
	page := os.Getpagesize()
	bytes, err := unix.Mmap(m.FD(), 0, (n*int(m.ValueSize())+page-1)/page*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s into memory: %w", spec.Name, err)
	}
	w.memory = append(w.memory, bytes)
	return unsafe.Slice((*T)(unsafe.Pointer(&bytes[0])), n), nil
}

func (w *windowMaps) close() (err error) {
	if w == nil {
		return nil
	}
	for _, b := range w.memory {
		err = errors.Join(err, unix.Munmap(b))
	}
	for _, m := range w.maps {
		err = errors.Join(err, m.Close())
	}
	return err
}
