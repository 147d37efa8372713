package xdp

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// TestRecorder: each packet of a trial through a wire is there, in order, in both directions and of either
// family; those of several sessions, and of two addresses, take turns.
func TestRecorder(t *testing.T) {
	testbed := sitetest.Build(t)
	w, err := wire.Open(testbed)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, d := range directions {
		at := testbed.Links().Path(d)
		for _, families := range []string{"", " IPv6", " both"} {
			f := ofFamilies(testFlow(d, 1400, traffic.Expect{Encapsulated: d == record.Uplink, Unchanged: true}), families)
			t.Run(string(d)+families, func(t *testing.T) { recordAll(t, f, at) })
		}
	}
}

// recordAll makes trials of a flow, and one of more packets than there is room for.
func recordAll(t *testing.T, f *traffic.Flow, at site.Path) {
	r, err := OpenRecorder(RecorderConfig{Path: Path{Flow: f, Send: at.Send, Receive: at.Arrive},
		Settle: 100 * time.Millisecond, Packets: 5000})
	if err != nil {
		t.Fatal(err)
	}
	s := traffic.Schedule{PPS: 10_000, Duration: 300 * time.Millisecond}
	for range 2 { // a trial forgets the one before
		recorded(t, r, s, f.Direction)
	}
	s.Duration = time.Second
	if _, _, err := r.Record(context.Background(), s); err == nil || !strings.Contains(err.Error(), "room for 5000") {
		t.Errorf("10000 packets in room for 5000: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// recorded makes a trial and checks what is known of its packets.
func recorded(t *testing.T, r *Recorder, s traffic.Schedule, d record.Direction) {
	t.Helper()
	list, o, err := r.Record(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if uint64(len(list)) != o.Sent || len(list) < 100 || len(list) > 3000 || o.Flows[0].Duplicates != 0 { // a busy machine sends less
		t.Fatalf("%s: %d packets, sent %d, %d copies", d, len(list), o.Sent, o.Flows[0].Duplicates)
	}
	arrived := 0
	for i, p := range list {
		if p.Arrived != 0 {
			arrived++
		}
		if p.Sent < p.Due || p.Arrived != 0 && p.Arrived < p.Sent {
			t.Fatalf("%s: packet %d was due at %d, sent at %d and arrived at %d", d, i, p.Due, p.Sent, p.Arrived)
		}
		if i > 0 && (p.Sent < list[i-1].Sent || p.Due-list[i-1].Due < 99_998 || p.Due-list[i-1].Due > 100_002) {
			t.Fatalf("%s: packet %d was due at %d and sent at %d, the one before at %d and %d", d, i, p.Due, p.Sent, list[i-1].Due, list[i-1].Sent)
		}
	}
	if uint64(arrived) != o.Flows[0].Received || arrived < len(list)/2 {
		t.Errorf("%s: %d packets arrived, %d as the program counts", d, arrived, o.Flows[0].Received)
	}
}
