package xdp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/upf/datapath"
)

// captureRun is a capture under way.
type captureRun struct {
	*watched
	reader *ringbuf.Reader
	ended  chan struct{}
}

// Capture copies packets as they arrive and leave. While it is open, programs that copy as well
// as forward replace those that only forward.
func (d *Datapath) Capture(of []datapath.WatchKey, f func(datapath.Seen)) (io.Closer, error) {
	c := &captureRun{ended: make(chan struct{})}
	var err error
	c.watched, err = d.watchPrograms(true, func(o *watchedPorts) error {
		for _, k := range of {
			if err := o.Wanted.Update(wireWatchKey(k), uint8(1), ebpf.UpdateAny); err != nil {
				return fmt.Errorf("xdp: choose packets: %w", err)
			}
		}
		c.reader, err = ringbuf.NewReader(o.Frames)
		return err
	})
	if err != nil {
		return nil, err
	}
	go c.read(f)
	return c, nil
}

// Close is io.Closer's.
func (c *captureRun) Close() error {
	err := c.reader.Close()
	<-c.ended
	return errors.Join(err, c.close())
}

func (c *captureRun) read(f func(datapath.Seen)) {
	defer close(c.ended)
	one := len(c.datapath.ports) == 1
	for {
		record, err := c.reader.Read()
		if err != nil {
			return
		}
		var frame watchedSeenFrame
		if binary.Read(bytes.NewReader(record.RawSample), binary.NativeEndian, &frame) == nil && frame.Stage != seenPassed {
			f(seenOf(&frame, one))
		}
	}
}

// The values of enum seen_stage in bpf/watch.h.
const (
	seenIn = iota
	seenOut
	seenDropped
	seenPassed
)

// seenOf reads a record. What came by N3 leaves by N6, and the other way round; where one
// port is both, the kind of packet says where it came from.
func seenOf(f *watchedSeenFrame, one bool) datapath.Seen {
	n6 := f.Port == 1
	if one {
		n6 = f.Kind != seenTEID
	}
	s := datapath.Seen{At: wallClock(f.At), N6: n6, Length: int(f.Length)}
	switch f.Stage {
	case seenOut:
		s.N6, s.Out = !n6, true
	case seenDropped:
		s.Dropped = true
		return s
	}
	s.Frame = f.Bytes[:min(int(f.Copied), len(f.Bytes))]
	return s
}
