package pfcp

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
	d.entered <- struct{}{}
	<-d.release
	return d.Datapath.Apply(changes)
}

// TestHeartbeatsDoNotWait has a session's request hang in the datapath: heartbeats,
// and the counters, are answered meanwhile.
func TestHeartbeatsDoNotWait(t *testing.T) { inEachWay(t, testHeartbeatsDoNotWait) }

func testHeartbeatsDoNotWait(t *testing.T, way string) {
	b := newBench(t, nil)
	slow := &blocking{b.dp, make(chan struct{}, 1), make(chan struct{})}
	b.cfg.Datapath = slow
	c := serve(t, b, way)
	c.ask(message.NewAssociationSetupRequest(0, ie.NewNodeIDHeuristic("smf.example.org"), ie.NewRecoveryTimeStamp(time.Now())))
	request := establishmentOf(50, "10.45.0.2")
	octets := make([]byte, request.MarshalLen())
	if err := request.MarshalTo(octets); err != nil {
		t.Fatal(err)
	}
	c.conn.Write(octets)
	<-slow.entered
	answer := c.ask(message.NewHeartbeatRequest(0, ie.NewRecoveryTimeStamp(time.Now()), nil))
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
