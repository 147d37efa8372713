package n4

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

// TestBadInput holds the answer to each bad request to what testdata/bad.py expects, and
// wants everything else to be as it was.
func TestBadInput(t *testing.T) {
	text, err := os.ReadFile("testdata/bad.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		t.Run(words[0], func(t *testing.T) {
			request, answer := unhex(t, words[1]), unhex(t, words[2])
			b := newBench(t, func(c *Config) { c.Datapath = keyed{forward.NewTable(10, anywhere())} })
			b.play("setup", "establish-given")
			before := b.state()
			if got := b.raw(request); !bytes.Equal(got, answer) {
				t.Errorf("answered by\n%x, want\n%x", got, answer)
			}
			if after := b.state(); !reflect.DeepEqual(before, after) {
				t.Errorf("the request changed\n%+v\nto\n%+v", before, after)
			}
			b.play("modify-handover", "delete", "release")
			if left := b.state(); len(left.teids)+left.counters.Sessions+left.counters.Associations != 0 {
				t.Errorf("left: %+v", left)
			}
		})
	}
}

// keyed is a datapath that refuses keys which another session has.
type keyed struct{ *forward.Table }

func (keyed) Counters() (datapath.Counters, error) { return datapath.Counters{}, nil }

func (keyed) Close() error { return nil }

func (k keyed) Capabilities() datapath.Capabilities {
	return datapath.Capabilities{Measurer: k, Resume: k.Resume, Holder: k, OnNotice: k.OnNotice}
}

// state is what a refused request must leave alone.
type state struct {
	rules    map[uint64]string
	teids    map[uint32]uint64
	tunnels  map[session.OuterHeader]uint64
	counters struct{ Associations, Sessions int }
}

func (b *bench) state() (s state) {
	s.rules, s.teids, s.tunnels = map[uint64]string{}, map[uint32]uint64{}, map[session.OuterHeader]uint64{}
	for seid, one := range b.sessions.BySEID {
		r := one.Rules.Rules()
		s.rules[seid] = fmt.Sprintf("%+v %+v %+v %+v %+v", r.PDRs, r.QERs, r.URRs, r.BARs, one.Usage)
		for i := range r.FARs {
			f := r.FARs[i]
			s.rules[seid] += fmt.Sprintf(" %d %v %v %v %v", f.ID, f.Action, f.Destination, f.Outer, f.BAR)
		}
	}
	for teid, seid := range b.sessions.TEIDs.Owner {
		s.teids[teid] = seid
	}
	for peer, at := range b.sessions.Remotes.Peers {
		for teid, seid := range at.First {
			s.tunnels[session.OuterHeader{Peer: peer, TEID: teid}] = seid
		}
	}
	c := b.Counters()
	s.counters.Associations, s.counters.Sessions = c.Associations, c.Sessions
	return s
}

// TestFull: no room for another session, in the tables and by the limits.
func TestFull(t *testing.T) {
	for story, change := range map[string]func(*Config){
		"max_sessions":            func(c *Config) { c.MaxSessions = 1 },
		"limits.sessions":         func(c *Config) { c.Limits.Sessions = 1 },
		"the datapath's sessions": func(c *Config) { c.Datapath = keyed{forward.NewTable(1, anywhere())} },
	} {
		b := newBench(t, change)
		b.play("setup", "establish-given")
		before := b.state()
		if got := causeOf(t, b.raw(establishment2(t, b))); got != ie.CauseNoResourcesAvailable {
			t.Errorf("%s: cause %d, want %d", story, got, ie.CauseNoResourcesAvailable)
		}
		if after := b.state(); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: changed\n%+v\nto\n%+v", story, before, after)
		}
	}
}

// establishment2 asks for a session with another UE address than "establish-given".
func establishment2(t *testing.T, b *bench) []byte {
	t.Helper()
	return bytes.ReplaceAll(b.pairs["establish-choose"].request, []byte{10, 45, 0, 2}, []byte{10, 45, 0, 3})
}
