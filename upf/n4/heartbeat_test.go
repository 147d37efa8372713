package n4

import (
	"errors"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/association"
)

// TestHeartbeatsKeepTheirInterval lets two minutes pass for a CP function that
// answers every request 10 ms later.
func TestHeartbeatsKeepTheirInterval(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Heartbeat = association.Heartbeat{Interval: time.Minute} })
	b.play("setup")
	sent := 0
	for end := b.now.Add(3*time.Minute - time.Second); b.now.Before(end); b.now = b.now.Add(500 * time.Millisecond) {
		for _, one := range b.nodes.DueBeats(b.now) {
			sent++
			b.receiver.receive(heartbeatResponse(t, one.Message), b.peer, b.now.Add(10*time.Millisecond))
		}
	}
	if sent != 2 {
		t.Errorf("%d heartbeats in 179 s, want 2: one a minute", sent)
	}
	if got := b.Counters(); got.Unexpected != 0 || got.Associations != 1 {
		t.Errorf("counters %+v", got)
	}
}

func TestHeartbeatsAreRepeated(t *testing.T) {
	b := newBench(t, func(c *Config) {
		c.Heartbeat = association.Heartbeat{Interval: 10 * time.Second, T1: 2 * time.Second, N1: 3}
	})
	b.play("setup")
	begin, sequences := b.now, map[uint32]int{}
	for ; b.Counters().Associations > 0 && b.now.Before(begin.Add(time.Minute)); b.now = b.now.Add(500 * time.Millisecond) {
		for _, one := range b.nodes.DueBeats(b.now) {
			h, _, _, err := pfcp.Parse(one.Message)
			if err != nil {
				t.Fatal(err)
			}
			sequences[h.Sequence]++
		}
		b.catchUp()
	}
	if len(sequences) != 1 || sequences[1] != 4 {
		t.Errorf("requests by sequence number: %v, want one that was sent 4 times", sequences)
	}
	if after := b.now.Sub(begin); after < 18*time.Second || after > 19*time.Second {
		t.Errorf("the association ended after %v, want 10 s and 4 times 2 s", after)
	}
}

// heartbeatResponse answers with the request's sequence number and stamp.
func heartbeatResponse(t *testing.T, request []byte) []byte {
	t.Helper()
	h, _, _, err := pfcp.Parse(request)
	if err != nil || h.Type != pfcp.HeartbeatRequest {
		t.Fatalf("%x is not a Heartbeat Request: %v", request, err)
	}
	answer := heartbeatAt(recovery)
	answer[1] = byte(pfcp.HeartbeatResponse)
	copy(answer[4:7], request[4:7])
	return answer
}

// TestRestartIsRetried: sessions from before a restart that the datapath could not delete go with the
// next heartbeat, and those that were set up since stay.
func TestRestartIsRetried(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-choose")
	b.dp.Fail(errors.New("no"))
	b.raw(heartbeatAt(recovery + 1))
	b.dp.Fail(nil)
	if b.sessions.Len() != 1 {
		t.Fatalf("%d sessions, want the one that cannot be deleted", b.sessions.Len())
	}
	b.raw(b.pairs["ipv6"].request)
	b.raw(heartbeatAt(recovery + 1))
	if b.dp.Session(firstSEID) != nil || b.dp.Session(firstSEID+1) == nil {
		t.Errorf("%d sessions, want the second alone", b.dp.Len())
	}
	b.raw(heartbeatAt(recovery + 1))
	if b.dp.Len() != 1 {
		t.Error("another heartbeat deletes the second session")
	}
}

// TestRestartsAreRetriedOnce: two restarts whose sessions could not be deleted have each session deleted
// once, in the order of the SEIDs, in which their locks are taken.
func TestRestartsAreRetriedOnce(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-choose")
	b.raw(b.pairs["ipv6"].request)
	b.dp.Fail(errors.New("no"))
	b.raw(heartbeatAt(recovery + 1))
	b.raw(heartbeatAt(recovery + 2))
	b.dp.Fail(nil)
	if b.sessions.Len() != 2 {
		t.Fatalf("%d sessions, want the two that cannot be deleted", b.sessions.Len())
	}
	done := make(chan struct{})
	go func() {
		b.raw(heartbeatAt(recovery + 2))
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the deletion waits for a lock that it has itself")
	}
	if b.dp.Len() != 0 || b.sessions.Len() != 0 {
		t.Errorf("%d sessions in the datapath, %d in the server, want none", b.dp.Len(), b.sessions.Len())
	}
}
