package xdp

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// Streams with source ports of their own: each packet has its stream's, alone and in a mixture, with IPv4 and IPv6.
func TestSourcePorts(t *testing.T) {
	for _, name := range []string{"IPv4", "of IPv6", "of both"} {
		b := newBench(t)
		c := Config{CPUs: []int{0}}
		for _, d := range directions {
			f := ofFamilies(testFlow(d, 200, traffic.Expect{Encapsulated: d == record.Uplink, Unchanged: true}), name)
			for i := range f.Streams {
				f.Streams[i].SourcePort = uint16(65000 + 7*i)
			}
			send, receive := b.ports(d)
			c.Paths = append(c.Paths, Path{Flow: f, Send: send, Receive: receive})
		}
		if err := b.engine.Close(); err != nil {
			t.Fatal(err)
		}
		var err error
		if b.engine, err = Open(c); err != nil {
			t.Fatal(err)
		}
		for _, q := range []traffic.Sequence{traffic.Only(0, 0), traffic.Only(1, 0), {{Flow: 0}, {Flow: 1}}} {
			o, err := b.engine.Run(t.Context(), traffic.Schedule{PPS: 3000, Duration: 200 * time.Millisecond, Sequence: q}, traffic.Marks{})
			if err != nil {
				t.Fatal(err)
			}
			b.balanced(t, o, o.Sent-o.Flows[0].Received-o.Flows[1].Received)
		}
	}
}

// A packet of one stream with the source port of another is wrong, in both receivers.
func TestSourcePortOfAnotherStream(t *testing.T) {
	f := testFlow(record.Uplink, 200, traffic.Expect{Encapsulated: true, Unchanged: true})
	f.Streams[0].SourcePort, f.Streams[1].SourcePort, f.Streams[2].SourcePort = 5, 6, 7
	ofAnotherStream(t, f, "inner UDP header", func(s *traffic.Stream, k int) { s.SourcePort = []uint16{5, 6, 7}[k] })
}
