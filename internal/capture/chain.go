package capture

import (
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/telemetry"
)

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -idirafter /usr/include/x86_64-linux-gnu" -type frame copy copy.bpf.c

// chain runs before the XDP program of a port while packets are captured.
type chain struct {
	objects  copyObjects
	restore  func() error
	reader   *ringbuf.Reader
	realtime time.Duration // CLOCK_REALTIME - CLOCK_MONOTONIC
	done     chan struct{}
}

// openChain copies the first frames that reach a port's XDP program; nil when the port
// has none.
func openChain(p netdev.Port, id, limit int, add func(frame)) (*chain, error) {
	number, err := p.XDPProgram()
	if err != nil || number == 0 {
		return nil, err
	}
	program, err := ebpf.NewProgramFromID(ebpf.ProgramID(number))
	if err != nil {
		return nil, fmt.Errorf("open XDP program %d: %w", number, err)
	}
	clocks, err := telemetry.ReadClocks()
	if err != nil {
		return nil, errors.Join(err, program.Close())
	}
	c := &chain{realtime: clocks.Realtime, done: make(chan struct{})}
	if err := c.start(p, program, id, limit); err != nil {
		return nil, errors.Join(err, program.Close(), c.objects.Close())
	}
	go c.read(add)
	return c, nil
}

func (c *chain) start(p netdev.Port, program *ebpf.Program, id, limit int) error {
	if err := c.load(program, id, limit); err != nil {
		return err
	}
	reader, err := ringbuf.NewReader(c.objects.Frames)
	if err != nil {
		return fmt.Errorf("read captured frames: %w", err)
	}
	undo, err := replace(p, program, c.objects.CopyFrames)
	if err != nil {
		return errors.Join(err, reader.Close())
	}
	c.reader, c.restore = reader, func() error { return errors.Join(undo(), program.Close()) }
	return nil
}

// kinds of XDP programs that a tail call cannot mix: with and without frames in several
// parts, and, in newer kernels, with different expected attach types. The kernel does
// not report the kind of a loaded program, so each is tried.
var kinds = [...]struct {
	flags  uint32
	attach ebpf.AttachType
}{{0, ebpf.AttachXDP}, {unix.BPF_F_XDP_HAS_FRAGS, ebpf.AttachXDP}, {0, ebpf.AttachNone}, {unix.BPF_F_XDP_HAS_FRAGS, ebpf.AttachNone}}

// load loads the copying program in the kind that can tail-call the port's program.
func (c *chain) load(program *ebpf.Program, id, limit int) error {
	var failed error
	for _, kind := range kinds {
		spec, err := loadCopy()
		if err != nil {
			return err
		}
		own := spec.Programs["copy_frames"]
		own.Flags |= kind.flags
		own.AttachType = kind.attach
		if err := errors.Join(spec.Variables[copyVarHop].Set(uint32(id)), spec.Variables[copyVarLeft].Set(int32(limit))); err != nil {
			return err
		}
		c.objects = copyObjects{}
		if err := spec.LoadAndAssign(&c.objects, nil); err != nil {
			return fmt.Errorf("load the capturing program: %w", err)
		}
		if failed = c.objects.Next.Put(uint32(0), program); failed == nil {
			return nil
		}
		c.objects.Close()
	}
	return fmt.Errorf("tail-call the port's XDP program: %w", failed)
}

// replace attaches a program in another's place, by BPF link or netlink as that was.
func replace(p netdev.Port, old, new *ebpf.Program) (undo func() error, err error) {
	l, err := linkOf(p, old)
	if err != nil {
		return nil, err
	}
	if l != nil {
		if err := l.Update(new); err != nil {
			return nil, errors.Join(fmt.Errorf("replace the XDP program of %s: %w", p.Name, err), l.Close())
		}
		return func() error { return errors.Join(l.Update(old), l.Close()) }, nil
	}
	device, err := p.NS.Netlink().LinkByIndex(p.Index)
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", p.Name, err)
	}
	flags := unix.XDP_FLAGS_DRV_MODE
	if x := device.Attrs().Xdp; x != nil && x.AttachMode == nl2generic {
		flags = unix.XDP_FLAGS_SKB_MODE
	}
	set := func(program *ebpf.Program) error {
		return p.NS.Do(func() error { return netlink.LinkSetXdpFdWithFlags(device, program.FD(), flags) })
	}
	if err := set(new); err != nil {
		return nil, fmt.Errorf("replace the XDP program of %s: %w", p.Name, err)
	}
	return func() error { return set(old) }, nil
}

// nl2generic is XDP_ATTACHED_SKB of linux/if_link.h.
const nl2generic = 2

// linkOf finds the BPF link that attaches a port's program; nil when netlink attached
// it.
func linkOf(p netdev.Port, program *ebpf.Program) (link.Link, error) {
	info, err := program.Info()
	if err != nil {
		return nil, err
	}
	id, _ := info.ID()
	it := &link.Iterator{}
	defer it.Close()
	for it.Next() {
		i, err := it.Link.Info()
		if err != nil {
			continue
		}
		if x := i.XDP(); x != nil && i.Program == id && int(x.Ifindex) == p.Index {
			return it.Take(), nil
		}
	}
	return nil, nil
}

// read passes frames to add until the reader is closed.
func (c *chain) read(add func(frame)) {
	defer close(c.done)
	for {
		record, err := c.reader.Read()
		if err != nil {
			if errors.Is(err, os.ErrClosed) || errors.Is(err, ringbuf.ErrFlushed) {
				return
			}
			continue
		}
		if len(record.RawSample) < int(unsafe.Sizeof(copyFrame{})) {
			continue
		}
		f := (*copyFrame)(unsafe.Pointer(&record.RawSample[0]))
		add(frame{at: c.realtime + time.Duration(f.At), hop: int(f.Hop), length: int(f.Length),
			bytes: append([]byte(nil), f.Bytes[:min(int(f.Copied), len(f.Bytes))]...)})
	}
}

// close puts the port's program back; what was copied before is read to the end.
func (c *chain) close() error {
	err := c.restore()
	err = errors.Join(err, c.reader.Flush())
	<-c.done
	return errors.Join(err, c.reader.Close(), c.objects.Close())
}
