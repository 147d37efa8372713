package n4

import (
	"encoding/binary"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
	"github.com/upflab/upflab/upf/session"
)

func newRules() *session.Rules { return &session.Rules{SEID: 1} }

func mustDecode(t testing.TB, octets []byte) (pfcp.Header, request.Request) {
	t.Helper()
	h, ies, _, err := pfcp.Parse(octets)
	if err != nil {
		t.Fatal(err)
	}
	p, err := request.Decode(h, ies)
	if err != nil {
		t.Fatal(err)
	}
	return h, p
}

// TestShortFilter has an SDF filter whose flow description is longer than the IE, on
// which the library panics.
func TestShortFilter(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup")
	sdf := []byte{0, 23, 0, 5, 1, 0, 0xff, 0xff, 'p'}
	pdi := append([]byte{0, 2, 0, byte(5 + len(sdf)), 0, 20, 0, 1, 0}, sdf...)
	pdr := append([]byte{0, 1, 0, byte(6 + len(pdi)), 0, 56, 0, 2, 0, 1}, pdi...)
	fseid := []byte{0, 57, 0, 13, 2, 0, 0, 0, 0, 0, 0, 0, 1, 127, 0, 0, 7}
	node := []byte{0, 60, 0, 5, 0, 127, 0, 0, 7}
	body := append(append(node, fseid...), pdr...)
	request := append([]byte{0x21, byte(pfcp.SessionEstablishmentRequest), 0, byte(12 + len(body)), 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 1, 0}, body...)
	if got := causeOf(t, b.raw(request)); got != ie.CauseInvalidLength {
		t.Errorf("cause %d, want %d", got, ie.CauseInvalidLength)
	}
}

func TestDropped(t *testing.T) {
	for _, c := range []struct {
		story   string
		request []byte
		count   func(tally.Counters) uint64
	}{
		{"nothing", nil, func(c tally.Counters) uint64 { return c.Malformed }},
		{"no room for a SEID", []byte{0x21, 50, 0, 4, 0, 0, 1, 0}, func(c tally.Counters) uint64 { return c.Malformed }},
		{"heartbeat of a wrong length", []byte{0x20, 1, 0, 9, 0, 0, 1, 0}, func(c tally.Counters) uint64 { return c.Malformed }},
		{"unknown type", []byte{0x20, 99, 0, 4, 0, 0, 1, 0}, func(c tally.Counters) uint64 { return c.UnknownType }},
		{"a response nobody asked for", []byte{0x20, 2, 0, 4, 0, 0, 1, 0}, func(c tally.Counters) uint64 { return c.Unexpected }},
		{"a session report, which goes the other way", []byte{0x21, 56, 0, 12, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0},
			func(c tally.Counters) uint64 { return c.Unexpected }},
		{"Version Not Supported of version 2", []byte{0x40, 11, 0, 4, 0, 0, 1, 0}, func(c tally.Counters) uint64 { return c.OtherVersion }},
	} {
		b := newBench(t, nil)
		if answer := b.raw(c.request); answer != nil {
			t.Errorf("%s: answer %x, want none", c.story, answer)
		}
		if got := b.Counters(); c.count(got) != 1 {
			t.Errorf("%s: not counted as expected: %+v", c.story, got)
		}
	}
}

func TestWrongLengthIsAnswered(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	request := append(b.pairs["modify-drop"].request, 0)
	if got := causeOf(t, b.raw(request)); got != ie.CauseInvalidLength {
		t.Errorf("cause %d, want %d", got, ie.CauseInvalidLength)
	}
}

func TestNullLengthTakesBack(t *testing.T) {
	f := request.Fields{
		ie.NewPDRID(1), ie.New(ie.QERID, nil), ie.New(ie.OuterHeaderRemoval, nil),
	}
	p, err := request.DecodeUpdatePDR(f)
	if err != nil || p.QERs == nil || len(p.QERs) != 0 || p.Removal == nil || *p.Removal {
		t.Errorf("Update PDR with null lengths = %+v, %v, want no QERs and no removal", p, err)
	}
	a, err := request.DecodeUpdateFAR(request.Fields{
		ie.NewFARID(1), ie.NewUpdateForwardingParameters(ie.New(ie.OuterHeaderCreation, nil)),
	})
	if err != nil || !a.RemoveOuter {
		t.Errorf("Update FAR with null lengths = %+v, %v, want no outer header", a, err)
	}
}

func TestBufferDrop(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Buffering = BufferDrop })
	b.play("setup")
	if got := causeOf(t, b.raw(b.pairs["buffer"].request)); got != ie.CauseRequestAccepted {
		t.Fatalf("cause %d, want accepted", got)
	}
	if f := b.rules().FindFAR(2); f.Action != session.Drop || b.Counters().BufferDrop != 1 {
		t.Errorf("FAR %+v, counters %+v, want DROP, counted", f, b.Counters())
	}
}

func TestMaxSessions(t *testing.T) {
	b := newBench(t, func(c *Config) { c.MaxSessions = 1 })
	b.play("setup", "establish-given")
	if got := causeOf(t, b.raw(b.pairs["establish-choose"].request)); got != ie.CauseNoResourcesAvailable {
		t.Errorf("cause %d, want %d", got, ie.CauseNoResourcesAvailable)
	}
}

// Whatever a peer does, it cannot fill the log with lines of any kind.
func TestLogIsLimited(t *testing.T) {
	const atOnce = 10 // as docs/reference/upf-limits.md has it
	var out strings.Builder
	b := newBench(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&out, nil)) })
	const floods = 500
	for n := range uint32(floods) {
		for i, name := range []string{"setup", "release"} {
			request := slices.Clone(b.pairs[name].request)
			binary.BigEndian.PutUint32(request[4:], (2*n+uint32(i)+1000)<<8) // 3 octets of sequence number: a repeated one has the old answer
			b.raw(request)
		}
	}
	for _, kind := range []string{"PFCP association set up", "PFCP association released"} {
		if n := strings.Count(out.String(), kind); n < atOnce || n > atOnce+60 {
			t.Errorf("%d lines %q of %d, want about %d", n, kind, floods, atOnce)
		}
	}
	if lines := strings.Count(out.String(), "\n"); lines > floods {
		t.Errorf("%d lines in all", lines)
	}
}
