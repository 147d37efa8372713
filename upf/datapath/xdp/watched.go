package xdp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/datapath"
)

// looks are those who look at packets, one at a time.
type looks struct {
	at  *attachment
	cfg Config     // of the programs
	mu  sync.Mutex // held while somebody looks
}

// watched are the programs of watched.c in the place of those that do not look at packets.
type watched struct {
	looks   *looks
	objects watchedPorts
	former  []*ebpf.Program // of the links
}

// watchedPorts is what of the object is loaded, beside the maps of the datapath.
type watchedPorts struct {
	Counts *ebpf.Map `ebpf:"seen_counts"`
	Wanted *ebpf.Map `ebpf:"seen_wanted"`
	Frames *ebpf.Map `ebpf:"seen_frames"`
	Now    *ebpf.Map `ebpf:"seen_current"`
	N3     *ebpf.Program
	N6     *ebpf.Program
	N3n6   *ebpf.Program
}

// errWatched is when two look at once.
var errWatched = errors.New("somebody looks at packets already: end the other `upflab upf top` or `upflab upf capture`")

// watchPrograms has the programs that look at packets take the others' place, packet by
// packet, until close. before is called with the maps before any packet is seen.
func (l *looks) watchPrograms(capturing bool, before func(*watchedPorts) error) (w *watched, err error) {
	if !l.begin() {
		return nil, errWatched
	}
	w = &watched{looks: l}
	if err := w.load(capturing); err != nil {
		return nil, errors.Join(fmt.Errorf("xdp: load the programs that look at packets: %w", err), w.close())
	}
	if err := before(&w.objects); err != nil {
		return nil, errors.Join(err, w.close())
	}
	for i, port := range l.at.links {
		if err := port.Update(w.programs()[i]); err != nil {
			return nil, errors.Join(fmt.Errorf("xdp: look at the packets of %s: %w", l.at.ports[i].name, err), w.close())
		}
		w.former = append(w.former, l.at.ports[i].program)
	}
	return w, nil
}

// begin waits a little: who looked before may be about to end.
func (l *looks) begin() bool {
	return wait.Until(2*time.Second, 20*time.Millisecond, l.mu.TryLock)
}

func (w *watched) programs() []*ebpf.Program {
	if w.objects.N3n6 != nil {
		return []*ebpf.Program{w.objects.N3n6}
	}
	return []*ebpf.Program{w.objects.N3, w.objects.N6}
}

func (w *watched) load(capturing bool) error {
	spec, err := loadWatched()
	if err != nil {
		return err
	}
	if err := configure(spec, w.looks.cfg); err != nil {
		return err
	}
	if capturing {
		if err := spec.Variables[watchedVarCapturing].Set(uint32(1)); err != nil {
			return err
		}
	}
	if err := sameVariables(spec); err != nil {
		return err
	}
	shared, err := w.looks.at.mapsFor(spec)
	if err != nil {
		return err
	}
	defer closeMaps(shared)
	all, err := ebpf.NewCollectionWithOptions(w.only(spec), ebpf.CollectionOptions{MapReplacements: shared})
	if err != nil {
		return explainLoad(err)
	}
	o := &w.objects
	o.Counts, o.Wanted = all.DetachMap(watchedMapSeenCounts), all.DetachMap(watchedMapSeenWanted)
	o.Frames, o.Now = all.DetachMap(watchedMapSeenFrames), all.DetachMap(watchedMapSeenCurrent)
	o.N3, o.N6, o.N3n6 = all.DetachProgram("watched_n3"), all.DetachProgram("watched_n6"), all.DetachProgram("watched_n3n6")
	all.Close()
	return nil
}

// only leaves the programs that the ports need.
func (w *watched) only(spec *ebpf.CollectionSpec) *ebpf.CollectionSpec {
	both := len(w.looks.at.ports) == 1
	for name := range spec.Programs {
		if strings.HasSuffix(name, "n3n6") != both {
			delete(spec.Programs, name)
		}
	}
	return spec
}

// sameVariables holds the two objects to one layout of what they share.
func sameVariables(spec *ebpf.CollectionSpec) error {
	plain, err := loadUpf()
	if err != nil {
		return err
	}
	for name, v := range plain.Variables {
		if v.SectionName == ".rodata" {
			continue
		}
		other := spec.Variables[name]
		if other == nil || other.SectionName != v.SectionName || other.Offset != v.Offset {
			return fmt.Errorf("the programs do not fit those that are attached: variable %s is elsewhere", name)
		}
	}
	return nil
}

// mapsFor are the maps of the attached programs by their names in spec.
func (a *attachment) mapsFor(spec *ebpf.CollectionSpec) (map[string]*ebpf.Map, error) {
	found := map[string]*ebpf.Map{}
	for _, p := range a.ports {
		info, err := p.forward.Info()
		if err != nil {
			return nil, err
		}
		ids, _ := info.MapIDs()
		for _, id := range ids {
			if err := addMap(found, id, spec); err != nil {
				closeMaps(found)
				return nil, err
			}
		}
	}
	return found, nil
}

func addMap(found map[string]*ebpf.Map, id ebpf.MapID, spec *ebpf.CollectionSpec) error {
	m, err := ebpf.NewMapFromID(id)
	if err != nil {
		return err
	}
	info, err := m.Info()
	if err != nil {
		return errors.Join(err, m.Close())
	}
	const kept = 15 // octets of a name that the kernel keeps
	for name := range spec.Maps {
		if name[:min(len(name), kept)] == info.Name && found[name] == nil && !strings.HasPrefix(name, ".rodata") {
			found[name] = m
			return nil
		}
	}
	return m.Close()
}

func closeMaps(all map[string]*ebpf.Map) {
	for _, m := range all {
		m.Close()
	}
}

// close puts the former programs back.
func (w *watched) close() error {
	defer w.looks.mu.Unlock()
	var errs []error
	for i, p := range w.former {
		errs = append(errs, w.looks.at.links[i].Update(p))
	}
	o := &w.objects
	for _, m := range []*ebpf.Map{o.Counts, o.Wanted, o.Frames, o.Now} {
		if m != nil {
			errs = append(errs, m.Close())
		}
	}
	for _, p := range []*ebpf.Program{o.N3, o.N6, o.N3n6} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}

// watch is a count under way.
type watch struct{ *watched }

// Watch counts packets by tunnel and UE address. While it is open, programs that count as well as
// forward replace those that only forward.
func (l *looks) Watch() (datapath.Watch, error) {
	w, err := l.watchPrograms(false, func(*watchedPorts) error { return nil })
	if err != nil {
		return nil, err
	}
	return watch{w}, nil
}

// Counts implements datapath.Watch. Octets are those of frames without FCS.
func (w watch) Counts() (map[datapath.WatchKey]datapath.WatchCount, error) {
	all := map[datapath.WatchKey]datapath.WatchCount{}
	var key watchedSeenKey
	var n watchedSeenCount
	entries := w.objects.Counts.Iterate()
	for entries.Next(&key, &n) {
		all[watchKeyOf(key)] = datapath.WatchCount{Packets: n.Packets, Octets: n.Octets, Dropped: n.Dropped}
	}
	if err := entries.Err(); err != nil && len(all) == 0 { // else it changes while it is read
		return nil, fmt.Errorf("xdp: read the counts of sessions: %w", err)
	}
	return all, nil
}

// Close implements datapath.Watch.
func (w watch) Close() error { return w.close() }

// The values of enum seen_kind in bpf/watch.h.
const (
	seenTEID = 1 + iota
	seenIPv4
	seenIPv6
)

func wireWatchKey(k datapath.WatchKey) watchedSeenKey {
	switch {
	case !k.UE.IsValid():
		return watchedSeenKey{Kind: seenTEID, Id: uint64(wireTEID(k.TEID))}
	case k.UE.Is4():
		return watchedSeenKey{Kind: seenIPv4, Id: uint64(wire(k.UE))}
	}
	b := k.UE.As16()
	return watchedSeenKey{Kind: seenIPv6, Id: binary.NativeEndian.Uint64(b[:])}
}

func watchKeyOf(w watchedSeenKey) datapath.WatchKey {
	var b [16]byte
	binary.NativeEndian.PutUint64(b[:], w.Id)
	switch w.Kind {
	case seenTEID:
		return datapath.WatchKey{TEID: binary.BigEndian.Uint32(b[:])}
	case seenIPv4:
		return datapath.WatchKey{UE: netip.AddrFrom4([4]byte(b[:4]))}
	}
	return datapath.WatchKey{UE: netip.AddrFrom16(b)}
}

// captureRun is a capture under way.
type captureRun struct {
	*watched
	reader *ringbuf.Reader
	ended  chan struct{}
}

// Capture copies packets as they arrive and leave. While it is open, programs that copy as well
// as forward replace those that only forward.
func (l *looks) Capture(of []datapath.WatchKey, f func(datapath.Seen)) (io.Closer, error) {
	c := &captureRun{ended: make(chan struct{})}
	var err error
	c.watched, err = l.watchPrograms(true, func(o *watchedPorts) error {
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

// Close implements io.Closer.
func (c *captureRun) Close() error {
	err := c.reader.Close()
	<-c.ended
	return errors.Join(err, c.close())
}

func (c *captureRun) read(f func(datapath.Seen)) {
	defer close(c.ended)
	one := len(c.looks.at.ports) == 1
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
