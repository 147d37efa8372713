package trial

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/record"
)

func TestRefused(t *testing.T) {
	session := &smf.Session{Index: 4096, UE: netip.MustParseAddr("10.45.16.2")}
	rejected := &smf.RejectedError{Peer: "192.0.2.1:8805", Message: "Session Establishment Request", Cause: 75, Session: session}
	for _, c := range []struct {
		why      string
		err      error
		accepted int
		words    []string
		not      string
	}{
		{"the UPF is full", rejected, 4096,
			[]string{"session 4096", "cause 75", "No resources available", "taken 4096 of 5000", "sessions=4096"}, ""},
		{"it refuses the first", rejected, 0, []string{"cause 75"}, "sessions="},
		{"something else", errors.New("no answer"), 17, []string{"no answer"}, "sessions="},
	} {
		err := refused(c.err, c.accepted, 5000)
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v, want %q in it", c.why, err, w)
			}
		}
		if c.not != "" && strings.Contains(err.Error(), c.not) || !errors.Is(err, c.err) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

func TestSeenLast(t *testing.T) {
	at := func(in, out uint64) (hop, hop) { return hop{"N3", in}, hop{"N6", out} }
	in0, out0 := at(100, 50)
	for _, c := range []struct {
		in, out uint64
		want    string
	}{
		{100, 50, "never came to the UPF's N3"},
		{160, 50, "last seen at the UPF's N3, which received 60; its N6 sent none"},
		{160, 110, "N3 received 60 and its N6 sent 60, so what it sends is wrong"},
	} {
		in1, out1 := at(c.in, c.out)
		if got := seenLast(in0, in1, out0, out1); !strings.Contains(got, c.want) {
			t.Errorf("%d in, %d out: %q, want %q in it", c.in, c.out, got, c.want)
		}
	}
	if got := seenLast(hop{}, hop{}, hop{}, hop{}); got != "" {
		t.Errorf("of a UPF elsewhere: %q", got)
	}
}

// TestLostBetween: an interface has counted for as long as it is there, and of that the probes lost
// only what came meanwhile.
func TestLostBetween(t *testing.T) {
	at := func(ring uint64) counters {
		return counters{{place: record.PlaceUPFRing, side: record.SideLink, packets: ring}, {place: record.PlaceSinkSocket, side: record.SideSink, packets: 7}}
	}
	if got := lostBetween(at(48_211), at(48_231), false); !slices.Equal(got, []string{"receive ring of the UPF: 20"}) {
		t.Errorf("20 more: %q", got)
	}
	if got := lostBetween(at(48_211), at(48_211), false); got != nil {
		t.Errorf("none more: %q", got)
	}
	if got := lostBetween(at(48_211), at(48_231), true); !slices.Equal(got, []string{"link that was down: 20"}) {
		t.Errorf("20 into a link that is down: %q", got)
	}
}
