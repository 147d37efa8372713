package n4

import (
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/upf/datapath"
)

// blocking is a datapath that takes its time.
type blocking struct {
	datapath.Datapath
	entered, release chan struct{}
}

func (d *blocking) Apply(changes []datapath.Change) error {
	select {
	case d.entered <- struct{}{}:
	default: // only the first is waited for
	}
	<-d.release
	return d.Datapath.Apply(changes)
}

// smfStarted is the SMF's: with another one it would be one that was restarted.
var smfStarted = time.Unix(1_800_000_000, 0)

// serveBlocked serves an SMF whose first establishment hangs in the datapath.
func serveBlocked(t *testing.T, b *bench, way string) (*smf, *blocking) {
	t.Helper()
	slow := &blocking{b.dp, make(chan struct{}, 1), make(chan struct{})}
	b.carry.Datapath = slow
	c := serve(t, b, way)
	c.ask(message.NewAssociationSetupRequest(0, ie.NewNodeIDHeuristic("smf.example.org"), ie.NewRecoveryTimeStamp(smfStarted)))
	c.write(establishmentOf(50, "10.45.0.2"))
	<-slow.entered
	return c, slow
}

// TestHeartbeatsDoNotWait has a session's request hang in the datapath: heartbeats,
// and the counters, are answered meanwhile.
func TestHeartbeatsDoNotWait(t *testing.T) { inEachWay(t, testHeartbeatsDoNotWait) }

func testHeartbeatsDoNotWait(t *testing.T, way string) {
	b := newBench(t, nil)
	c, slow := serveBlocked(t, b, way)
	answer := c.ask(message.NewHeartbeatRequest(0, ie.NewRecoveryTimeStamp(smfStarted), nil))
	if _, ok := answer.(*message.HeartbeatResponse); !ok {
		t.Errorf("the answer is %s", answer.MessageTypeName())
	}
	if got := b.Counters().Heartbeats; got != 1 {
		t.Errorf("%d heartbeats counted", got)
	}
	close(slow.release)
	if _, ok := c.read().(*message.SessionEstablishmentResponse); !ok {
		t.Error("the establishment was not answered in the end")
	}
}

// TestStopAnswersWhatWaits stops the server while requests wait behind one that hangs.
func TestStopAnswersWhatWaits(t *testing.T) { inEachWay(t, testStopAnswersWhatWaits) }

func testStopAnswersWhatWaits(t *testing.T, way string) {
	c, slow := serveBlocked(t, newBench(t, nil), way)
	c.write(establishmentOf(51, "10.45.0.3"))
	c.ask(message.NewHeartbeatRequest(0, ie.NewRecoveryTimeStamp(smfStarted), nil)) // the other was read before
	c.stop()
	close(slow.release)
	for range 2 {
		if m := c.read(); m.MessageType() != message.MsgTypeSessionEstablishmentResponse {
			t.Errorf("%s, want an answer to an establishment", m.MessageTypeName())
		}
	}
}
