package capture

import (
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/machine/xdpchain"
)

//go:generate go tool bpf2go -tags linux -target bpfel -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -idirafter /usr/include/x86_64-linux-gnu" -type frame copy bpf/copy.c

// chain runs before the XDP program of a port while packets are captured.
type chain struct {
	objects  copyObjects
	before   *xdpchain.Chain
	reader   *ringbuf.Reader
	realtime time.Duration // CLOCK_REALTIME - CLOCK_MONOTONIC
	done     chan struct{}
}

// openChain copies the first frames that reach a port's XDP program; nil when the port
// has none.
func openChain(p netdev.Port, id, limit int, add func(frame)) (*chain, error) {
	clocks, err := telemetry.ReadClocks()
	if err != nil {
		return nil, err
	}
	c := &chain{realtime: clocks.Realtime, done: make(chan struct{})}
	c.before, err = xdpchain.Before(p, func(kind func(*ebpf.ProgramSpec)) (xdpchain.Loaded, error) { return c.load(id, limit, kind) })
	if err != nil || c.before == nil {
		return nil, err
	}
	if c.reader, err = ringbuf.NewReader(c.objects.Frames); err != nil {
		return nil, errors.Join(fmt.Errorf("read captured frames: %w", err), c.before.Close())
	}
	go c.read(add)
	return c, nil
}

// load loads the copying program.
func (c *chain) load(id, limit int, kind func(*ebpf.ProgramSpec)) (l xdpchain.Loaded, err error) {
	spec, err := loadCopy()
	if err != nil {
		return l, err
	}
	kind(spec.Programs["copy_frames"])
	if err := errors.Join(spec.Variables[copyVarHop].Set(uint32(id)), spec.Variables[copyVarLeft].Set(int32(limit))); err != nil {
		return l, err
	}
	c.objects = copyObjects{}
	if err := spec.LoadAndAssign(&c.objects, nil); err != nil {
		return l, fmt.Errorf("load the capturing program: %w", err)
	}
	return xdpchain.Loaded{Program: c.objects.CopyFrames, Next: c.objects.Next, Close: c.objects.Close}, nil
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
	err := c.before.Restore()
	err = errors.Join(err, c.reader.Flush())
	<-c.done
	return errors.Join(err, c.reader.Close(), c.before.Close())
}
