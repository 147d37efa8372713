package xdp

import (
	"encoding/json"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// shapesCase is one of testdata/shapes.json: frames of a flow of several shapes as
// they arrive, and what they are to be counted as.
type shapesCase struct {
	mixtureCase
	Frames      []string
	Wrong       string
	RX, Foreign uint64
}

// A sink holds each frame against the shape that it says it is of.
func TestSinkOfShapes(t *testing.T) {
	var cases []shapesCase
	readJSON(t, "testdata/shapes.json", &cases)
	sinks := map[string]*sink{}
	for _, c := range cases {
		shapes, err := json.Marshal(c.Shapes)
		if err != nil {
			t.Fatal(err)
		}
		s := sinks[string(shapes)]
		if s == nil {
			s = openTestSink(t, c.flow(t, record.Uplink, traffic.Expect{}))
			sinks[string(shapes)] = s
		}
		t.Run(c.Name, func(t *testing.T) {
			sinkCase{Name: c.Name, Wrong: c.Wrong, Frames: c.Frames, RX: c.RX, Foreign: c.Foreign}.run(t, s)
		})
	}
}
