package attack

import (
	"bytes"
	"testing"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// TestFrozen: the captures have what SMFs send in a session's life, and it is read and
// written again as it is.
func TestFrozen(t *testing.T) {
	list, err := frozen()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[pfcp.MessageType]int{}
	for i, raw := range list {
		m, err := parse(raw)
		if err != nil {
			t.Fatalf("message %d, %x: %v", i+1, raw, err)
		}
		if !bytes.Equal(m.bytes(), raw) {
			t.Errorf("message %d is written as %x, not as it was read: %x", i+1, m.bytes(), raw)
		}
		seen[pfcp.MessageType(m.header[1])]++
	}
	for _, typ := range []pfcp.MessageType{pfcp.HeartbeatRequest, pfcp.AssociationSetupRequest, pfcp.SessionEstablishmentRequest,
		pfcp.SessionModificationRequest, pfcp.SessionDeletionRequest, pfcp.SessionReportResponse} {
		if seen[typ] == 0 {
			t.Errorf("the captures have no %s", typ)
		}
	}
}
