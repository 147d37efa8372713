// Package xdpchain runs a program of upflab's before the XDP program of a port: it looks
// at each frame and goes on with the port's own by a tail call. So what XDP takes can be
// seen on kernels that allow no tracing of programs.
package xdpchain

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// Loaded is a program that goes on with entry 0 of Next.
type Loaded struct {
	Program *ebpf.Program
	Next    *ebpf.Map // of type PROG_ARRAY
	Close   func() error
}

// Chain stands before a port's program until it is closed.
type Chain struct {
	loaded  Loaded
	restore func() error
}

// kinds of XDP programs that a tail call cannot mix: with and without frames in several
// parts, and, in newer kernels, with different expected attach types. The kernel does
// not report the kind of a loaded program, so each is tried.
var kinds = [...]struct {
	flags  uint32
	attach ebpf.AttachType
}{{0, ebpf.AttachXDP}, {unix.BPF_F_XDP_HAS_FRAGS, ebpf.AttachXDP}, {0, ebpf.AttachNone}, {unix.BPF_F_XDP_HAS_FRAGS, ebpf.AttachNone}}

// Before puts a program before the one of a port; nil when the port has none. load loads
// it after kind has changed its specification.
func Before(p netdev.Port, load func(kind func(*ebpf.ProgramSpec)) (Loaded, error)) (*Chain, error) {
	number, err := p.XDP().Program()
	if err != nil || number == 0 {
		return nil, err
	}
	program, err := ebpf.NewProgramFromID(ebpf.ProgramID(number))
	if err != nil {
		return nil, fmt.Errorf("open XDP program %d: %w", number, err)
	}
	c := &Chain{}
	if c.loaded, err = inKind(program, load); err != nil {
		return nil, errors.Join(err, program.Close())
	}
	undo, err := replace(p, program, c.loaded.Program)
	if err != nil {
		return nil, errors.Join(err, c.loaded.Close(), program.Close())
	}
	c.restore = func() error { return errors.Join(undo(), program.Close()) }
	return c, nil
}

// inKind loads a program in the kind that can tail-call the port's.
func inKind(program *ebpf.Program, load func(func(*ebpf.ProgramSpec)) (Loaded, error)) (Loaded, error) {
	var failed error
	for _, kind := range kinds {
		l, err := load(func(s *ebpf.ProgramSpec) {
			s.Flags |= kind.flags
			s.AttachType = kind.attach
		})
		if err != nil {
			return l, err
		}
		if failed = l.Next.Put(uint32(0), program); failed == nil {
			return l, nil
		}
		failed = errors.Join(failed, l.Close())
	}
	return Loaded{}, fmt.Errorf("tail-call the port's XDP program: %w", failed)
}

// Restore puts the port's program back; the loaded one is still there.
func (c *Chain) Restore() error {
	if c.restore == nil {
		return nil
	}
	err := c.restore()
	c.restore = nil
	return err
}

// Close puts the port's program back and unloads the other.
func (c *Chain) Close() error { return errors.Join(c.Restore(), c.loaded.Close()) }
