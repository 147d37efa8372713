package replay

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// Recording is a capture that can be sent.
type Recording struct {
	Shapes []traffic.Shape // the different packets
	Order  []uint16        // shape of each packet
	PPS    float64         // the capture's own rate; 0: all packets have the same time
	// Arrivals are the capture's gaps.
	Arrivals traffic.Arrivals
	// Notes say what of the capture is not sent as it was.
	Notes []string
}

// Sequence sends the packets in their order: all in one flow, or, of two, in turns.
func (r *Recording) Sequence(flows ...uint8) traffic.Sequence {
	q := make(traffic.Sequence, len(r.Order))
	for i, shape := range r.Order {
		q[i] = traffic.Slot{Flow: flows[i%len(flows)], Shape: shape}
	}
	return q
}

// builder makes a recording, packet by packet.
type builder struct {
	maxPayload int
	seed       maphash.Seed
	known      map[uint64][]uint16 // shapes by the hash of what they are
	out        Recording
	times      []time.Time
	seen       int
	skipped    map[string]int
	tcp        int
	short, cut int
	beyond     int // for which there was no room
	damaged    string
}

func newBuilder(maxPayload int) *builder {
	return &builder{maxPayload: min(maxPayload, traffic.MaxPayload), seed: maphash.MakeSeed(),
		known: map[uint64][]uint16{}, skipped: map[string]int{}}
}

func (b *builder) add(ip []byte, at time.Time) {
	b.seen++
	p, why := dissect(ip)
	if why != "" {
		b.skipped[why]++
		return
	}
	if len(b.out.Order) == min(traffic.MaxSequence, traffic.MaxArrivals) {
		b.beyond++
		return
	}
	s := traffic.Shape{Payload: min(max(p.payload, signature.Bytes), b.maxPayload), SourcePort: p.sourcePort,
		DestinationPort: p.destinationPort}
	s.Content = content(p, s.Payload)
	shape, ok := b.shape(s)
	if !ok {
		b.beyond++
		return
	}
	b.out.Order = append(b.out.Order, shape)
	b.times = append(b.times, at)
	b.tcp += flag(p.tcp)
	b.short += flag(p.payload < signature.Bytes)
	b.cut += flag(p.payload > b.maxPayload)
}

// content is what follows the signature; where nothing was captured, fill.
func content(p packet, payload int) []byte {
	c := bytes.Repeat([]byte{signature.Fill}, payload-signature.Bytes)
	if len(p.content) > signature.Bytes {
		copy(c, p.content[signature.Bytes:])
	}
	return c
}

// shape finds the shape among those that are there, or adds it.
func (b *builder) shape(s traffic.Shape) (uint16, bool) {
	key := maphash.Bytes(b.seed, s.Content) ^ uint64(s.SourcePort)<<16 ^ uint64(s.DestinationPort)
	for _, i := range b.known[key] {
		k := &b.out.Shapes[i]
		if k.Payload == s.Payload && k.SourcePort == s.SourcePort && k.DestinationPort == s.DestinationPort && bytes.Equal(k.Content, s.Content) {
			return i, true
		}
	}
	n := len(b.out.Shapes)
	if n == traffic.MaxShapes {
		return 0, false
	}
	b.out.Shapes = append(b.out.Shapes, s)
	b.known[key] = append(b.known[key], uint16(n))
	return uint16(n), true
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

func (b *builder) finish() (*Recording, error) {
	n := len(b.out.Order)
	if n == 0 {
		return nil, fmt.Errorf("none of its %d packets can be sent%s; UDP and TCP over IPv4 can", b.seen, b.why())
	}
	gaps := make([]time.Duration, n)
	var total time.Duration
	for i := range n - 1 {
		gaps[i] = max(0, b.times[i+1].Sub(b.times[i])) // clocks of captures step back at times
		total += gaps[i]
	}
	if n > 1 {
		gaps[n-1] = total / time.Duration(n-1) // before it begins again
		total += gaps[n-1]
	}
	if total > 0 {
		b.out.PPS = float64(n) / total.Seconds()
	}
	var err error
	if b.out.Arrivals, err = traffic.Gaps(gaps); err != nil {
		return nil, errors.Join(errors.New("its gaps cannot be sent"), err)
	}
	b.notes()
	return &b.out, nil
}

// why lists what was skipped.
func (b *builder) why() string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(b.skipped)) {
		parts = append(parts, fmt.Sprintf("%d %s", b.skipped[why], why))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func (b *builder) notes() {
	say := func(n int, format string, args ...any) {
		if n > 0 {
			b.out.Notes = append(b.out.Notes, fmt.Sprintf("replay: "+format, args...))
		}
	}
	n := len(b.out.Order)
	say(1, "%d of the capture's %d packets are sent, again and again, %d different ones, with addresses of the "+
		"UEs and the data network and a signature over the first %d octets of the UDP payload",
		n, b.seen, len(b.out.Shapes), signature.Bytes)
	say(len(b.skipped), "skipped%s", b.why())
	say(b.tcp, "%d TCP segments are sent as UDP datagrams of the same length and ports", b.tcp)
	say(b.short, "%d packets are lengthened to the %d octets of a signature", b.short, signature.Bytes)
	say(b.cut, "%d packets are cut to the %d octets that the MTU leaves", b.cut, b.maxPayload)
	say(b.beyond, "%d packets are left out: at most %d, and %d different ones, can be sent", b.beyond, traffic.MaxSequence, traffic.MaxShapes)
	say(len(b.damaged), "the capture ends early: %s", b.damaged)
}
