package xdp

import (
	"encoding/hex"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/traffic"
)

// sinkCase is one of testdata/sink.json: frames as they arrive, and what they
// are to be counted as.
type sinkCase struct {
	Name, Flow, Wrong                         string
	Frames                                    []string
	RX, Duplicates, Reordered, Foreign, Stale uint64
}

// testTrial is the trial of the frames in testdata.
const testTrial = 2

func openTestSink(t *testing.T, f *traffic.Flow) *sink {
	t.Helper()
	return openSinkOf(t, f, false)
}

// openSinkOf opens one where packets arrive on several CPUs at the same time, or not.
func openSinkOf(t *testing.T, f *traffic.Flow, several bool) *sink {
	t.Helper()
	sitetest.Privileged(t)
	s, err := openSink(f, nil, several)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// receive gives the program a frame and returns its verdict.
func (s *sink) receive(t *testing.T, frame []byte) uint32 {
	t.Helper()
	verdict, err := s.program().Run(&ebpf.RunOptions{Data: frame, Repeat: 1})
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSink(t *testing.T) {
	var cases []sinkCase
	readJSON(t, "testdata/sink.json", &cases)
	sinks := map[string]*sink{}
	for _, c := range cases {
		s := sinks[c.Flow]
		if s == nil {
			s = openTestSink(t, namedFlow(t, c.Flow))
			sinks[c.Flow] = s
		}
		t.Run(c.Flow+": "+c.Name, func(t *testing.T) { c.run(t, s) })
	}
}

func (c sinkCase) run(t *testing.T, s *sink) {
	if err := s.Begin(testTrial); err != nil {
		t.Fatal(err)
	}
	s.forget(t)
	var last []byte
	var bytes uint64
	for _, text := range c.Frames {
		last = unhex(t, text)
		verdict, want := s.receive(t, last), uint32(xdpDrop)
		if c.Foreign > 0 {
			want = xdpPass
		}
		if verdict != want {
			t.Errorf("the verdict is %d, want %d", verdict, want)
		}
		bytes += uint64(len(last))
	}
	c.check(t, s, bytes)
	if c.Wrong != "" && len(c.Frames) == 1 {
		var o traffic.FlowOutcome
		if err := s.read(&o); err != nil {
			t.Fatal(err)
		}
		if want := last[:min(len(last), 128)]; hex.EncodeToString(o.Specimen) != hex.EncodeToString(want) {
			t.Errorf("the specimen is\n%x, want\n%x", o.Specimen, want)
		}
	}
}

// Verdicts of XDP programs.
const (
	xdpDrop = 1
	xdpPass = 2
)

// forget makes the streams new: in the cases every trial is number 2.
func (s *sink) forget(t *testing.T) {
	t.Helper()
	for i := range s.objects.Tracks.MaxEntries() {
		if err := s.objects.Tracks.Put(i, &sinkTrack{}); err != nil {
			t.Fatal(err)
		}
	}
}

func (c sinkCase) check(t *testing.T, s *sink, bytes uint64) {
	t.Helper()
	got, err := s.totals()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []struct {
		what      string
		got, want uint64
	}{
		{"received", got.Rx, c.RX}, {"duplicates", got.Duplicates, c.Duplicates},
		{"reordered", got.Reordered, c.Reordered}, {"foreign", got.Foreign, c.Foreign}, {"stale", got.Stale, c.Stale},
	} {
		if n.got != n.want {
			t.Errorf("%d %s, want %d", n.got, n.what, n.want)
		}
	}
	if c.RX == uint64(len(c.Frames)) && got.Bytes != bytes {
		t.Errorf("%d bytes received, want %d", got.Bytes, bytes)
	}
	for i, n := range got.Wrong {
		want := uint64(0)
		if string(traffic.Faults()[i]) == c.Wrong {
			want = 1
		}
		if n != want {
			t.Errorf("%d wrong by %s, want %d", n, traffic.Faults()[i], want)
		}
	}
}

// Every reason that a packet can be wrong for has a case.
func TestSinkCasesAreComplete(t *testing.T) {
	var cases []sinkCase
	readJSON(t, "testdata/sink.json", &cases)
	for _, name := range traffic.Faults() {
		found := false
		for _, c := range cases {
			found = found || c.Wrong == string(name)
		}
		if !found {
			t.Errorf("no frame in testdata/sink.json is wrong by %s", name)
		}
	}
}
