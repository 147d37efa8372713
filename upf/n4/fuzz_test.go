package n4

import (
	"testing"

	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// FuzzReceive feeds raw datagrams to a server that has an association and a
// session. It must answer with what parses, or not at all, and keep the
// datapath and itself of one mind.
func FuzzReceive(f *testing.F) {
	fuzztest.Brief(f)
	for _, p := range pairs(f) {
		f.Add(p.request)
	}
	f.Fuzz(func(t *testing.T, datagram []byte) {
		b := newBench(t, nil)
		b.play("setup", "establish-given")
		answer := b.raw(datagram)
		if answer != nil {
			if _, err := message.Parse(answer); err != nil {
				t.Errorf("answer %x does not parse: %v", answer, err)
			}
		}
		if b.dp.Len() != len(b.sessions.BySEID) {
			t.Errorf("%d sessions in the datapath, %d in the server", b.dp.Len(), len(b.sessions.BySEID))
		}
		for teid, seid := range b.sessions.TEIDs.Owner {
			if b.sessions.BySEID[seid] == nil {
				t.Errorf("TEID %#x belongs to session %#x, which is not there", teid, seid)
			}
		}
	})
}
