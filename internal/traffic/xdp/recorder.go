package xdp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/upflab/upflab/internal/traffic"
)

// Recorder sends one flow from inside the kernel, its sessions in turn, and knows of each
// packet when it was due, was sent and arrived. It keeps 24 octets of each; Engine, which
// keeps sums, is for traffic without end.
type Recorder struct {
	group  traffic.Group
	source *source
	sink   *recording
}

// RecorderConfig of a recorder.
type RecorderConfig struct {
	Path
	CPU     int           // that sends
	Settle  time.Duration // wait for stragglers after the last frame
	Buffers bool          // as Config.Buffers
	Packets int           // of a trial, at most
}

// OpenRecorder loads the programs and attaches one to the port where packets arrive. Close
// the recorder when done.
func OpenRecorder(c RecorderConfig) (*Recorder, error) {
	k, err := newRecording(c)
	if err != nil {
		return nil, err
	}
	r := &Recorder{sink: k}
	r.source, err = newSource(Config{Paths: []Path{c.Path}, Buffers: c.Buffers}, core{cpu: c.CPU})
	if err != nil {
		return nil, errors.Join(err, k.Close())
	}
	r.group = traffic.Group{Settle: c.Settle, Sources: []traffic.Source{r.source}, Sinks: []traffic.Sink{k}}
	return r, nil
}

// Close ends it; the port is as it was.
func (r *Recorder) Close() error { return r.group.Close() }

// Record sends by a schedule, which has a rate, and gives what became of the packets, in
// the order in which they were sent. When ctx ends it stops early, with ctx's error.
func (r *Recorder) Record(ctx context.Context, s traffic.Schedule) ([]traffic.Transit, traffic.Outcome, error) {
	s.Excluded, s.Warmup = nil, 0 // a packet's number is that of its slot then
	if n := s.Slots(s.Duration); s.Max() || n > uint64(r.sink.room) {
		return nil, traffic.Outcome{}, fmt.Errorf("a trial of %d packets: the recorder has room for %d, and needs a rate", n, r.sink.room)
	}
	o, err := r.group.Run(ctx, s, traffic.Marks{})
	if err != nil {
		return nil, o, err
	}
	list, err := r.sink.passages(int(o.Sent))
	if err != nil {
		return nil, o, err
	}
	traffic.Complete(list, o.Sending.First, float64(s.Gap())/(1<<16))
	return list, o, nil
}

// recording is the program at the port, as a sink that keeps each packet.
type recording struct {
	traffic.WholeSink
	objects recorderObjects
	memory  *ebpf.Memory
	link    link.Link
	room    int
}

var _ traffic.Sink = (*recording)(nil)

func newRecording(c RecorderConfig) (k *recording, err error) {
	k = &recording{room: c.Packets}
	spec, err := loadRecorder()
	if err != nil {
		return nil, err
	}
	spec.Maps[recorderMapPassages].MaxEntries = uint32(c.Packets)
	if err := setAll(spec, map[string]any{
		recorderVarSessions: uint32(len(c.Flow.Streams)), recorderVarRoom: uint32(c.Packets),
	}); err != nil {
		return nil, err
	}
	if err := spec.LoadAndAssign(&k.objects, nil); err != nil {
		return nil, loadError("recorder", err)
	}
	if k.memory, err = k.objects.Passages.Memory(); err != nil {
		return nil, errors.Join(fmt.Errorf("map %s: %w", k.objects.Passages, err), k.Close())
	}
	if k.link, _, err = attachXDP(k.objects.RecordPassage, c.Receive); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

// Begin implements traffic.Sink: it forgets the last trial and counts the packets of this one.
func (k *recording) Begin(trial uint16) error {
	if err := k.objects.Trial.Set(trial); err != nil {
		return fmt.Errorf("set the recorder's trial: %w", err)
	}
	if _, err := k.memory.WriteAt(make([]byte, k.memory.Size()), 0); err != nil {
		return fmt.Errorf("clear what was recorded: %w", err)
	}
	return errors.Join(k.objects.Received.Set(uint64(0)), k.objects.Again.Set(uint64(0)), k.objects.Beyond.Set(uint64(0)))
}

// Received implements traffic.Sink: it counts the packets of the trial that arrived so far.
func (k *recording) Received() uint64 { return k.count(k.objects.Received) }

// AddLatency implements traffic.Sink: it keeps each packet's instead.
func (k *recording) AddLatency(*traffic.Histogram) error { return nil }

// Outcome implements traffic.Sink: it ends the trial and gives what arrived.
func (k *recording) Outcome([]uint64) (o traffic.FlowOutcome, err error) {
	o.Received, o.Duplicates = k.Received(), k.count(k.objects.Again)
	if n := k.count(k.objects.Beyond); n > 0 {
		return o, fmt.Errorf("%d packets of the trial arrived that were not sent", n)
	}
	return o, nil
}

func (k *recording) count(v *ebpf.Variable) (n uint64) {
	_ = v.Get(&n) // memory mapped: cannot fail
	return n
}

// Close implements traffic.Sink: it frees what the sink uses.
func (k *recording) Close() error {
	var err error
	if k.link != nil {
		err = k.link.Close()
	}
	return errors.Join(err, k.objects.Close())
}
