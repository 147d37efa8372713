package delayprobe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/internal/record"
)

// Passage is how a sampled packet went through the UPF.
type Passage struct {
	Due       uint64 // ns of CLOCK_MONOTONIC
	SinceDue  uint32 // ns from then until it came in; at most 4.3 s
	Took      uint32 // ns from there until it went out; likewise
	Session   uint32
	Direction record.Direction
}

// passageBytes is the size of a passage in the programs' ring.
const passageBytes = 24

// readEvery is how often the ring is emptied.
const readEvery = 100 * time.Millisecond

// Take gives the packets that have gone through since the last call.
func (t *Probes) Take() ([]Passage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := errors.Join(t.err, t.empty())
	list := t.passed
	t.passed, t.err = nil, nil
	if err != nil {
		return nil, fmt.Errorf("read the probes: %w", err)
	}
	return list, t.missed()
}

// missed is an error when packets went out since the last call that the ring had no room
// for.
func (t *Probes) missed() error {
	var all uint64
	for d := range uint32(directions) {
		var n probesTally
		if err := t.shared[probesMapCounts].Lookup(d, &n); err != nil {
			return fmt.Errorf("read the probes: %w", err)
		}
		all += n.Missed
	}
	n := all - t.lost
	t.lost = all
	if n > 0 {
		return fmt.Errorf("the probes could not note %d packets: this machine had no CPU to read them for seconds", n)
	}
	return nil
}

// read empties the ring until Close.
func (t *Probes) read() {
	tick := time.NewTicker(readEvery)
	defer tick.Stop()
	for {
		select {
		case <-t.closing:
			return
		case <-tick.C:
			t.mu.Lock()
			t.err = errors.Join(t.err, t.empty())
			t.mu.Unlock()
		}
	}
}

// empty takes over what is in the ring.
func (t *Probes) empty() error {
	t.ring.SetDeadline(time.Now())
	var r ringbuf.Record
	for {
		switch err := t.ring.ReadInto(&r); {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil
		case err != nil:
			return err
		case len(r.RawSample) >= passageBytes:
			t.passed = append(t.passed, passage(r.RawSample))
		}
	}
}

// passage reads one as the programs write it.
func passage(b []byte) Passage {
	u32 := binary.NativeEndian.Uint32
	p := Passage{Due: binary.NativeEndian.Uint64(b), SinceDue: u32(b[8:]), Took: u32(b[12:]), Session: u32(b[16:]), Direction: record.Uplink}
	if u32(b[20:]) != 0 {
		p.Direction = record.Downlink
	}
	return p
}
