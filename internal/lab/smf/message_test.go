package smf

import (
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// The UPF's messages come from scapy (testdata/gen.py).
func TestDecodeReadsWhatScapyWrites(t *testing.T) {
	upf := NodeID{Addr: netip.MustParseAddr("10.10.1.2")}
	started := time.Date(2025, 6, 4, 4, 26, 40, 0, time.UTC)
	session := pfcp.Header{Type: pfcp.SessionEstablishmentResponse, SEID: goldenCPSEID, HasSEID: true, Sequence: 0x0ABCDE}
	for name, want := range map[string]Message{
		"association-setup-response": {
			Header: pfcp.Header{Type: pfcp.AssociationSetupResponse, Sequence: 1},
			NodeID: upf, Cause: 1, Recovery: started, Features: FTUP | EMPU,
		},
		"association-setup-response-fqdn": {
			Header: pfcp.Header{Type: pfcp.AssociationSetupResponse, Sequence: 1},
			NodeID: NodeID{Name: "upf.example"}, Cause: 1, Recovery: started,
		},
		"establish-accepted": {
			Header: session, NodeID: upf, Cause: 1, SEID: goldenUPSEID, SEIDAddr: upf.Addr,
			Created: []Created{{PDR: 1, TEID: 0xCAFE, N3: netip.MustParseAddr("10.10.3.2")}},
		},
		"establish-rejected": {
			Header: session, NodeID: upf, Cause: 73, Offending: 109, Failed: &FailedRule{"QER", 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, ies, _, err := pfcp.Parse(scapyAnswers(t)[name])
			if err != nil {
				t.Fatal(err)
			}
			for _, how := range []Strictness{Tolerant, Strict} {
				var got Message
				if err := got.Read(h, ies, how); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("read %+v, error %v\n want %+v", got, err, want)
				}
			}
		})
	}
}

func TestDecodeRefusesShortIEs(t *testing.T) {
	for name, ies := range map[string][]byte{
		"cause without octets":        {0, 19, 0, 0},
		"F-SEID of one octet":         {0, 57, 0, 1, 2},
		"node ID cut short":           {0, 60, 0, 2, 0, 10},
		"longer than the message":     {0, 19, 0, 9, 1},
		"half an IE header":           {0, 19, 0},
		"F-TEID cut short":            {0, 8, 0, 6, 0, 21, 0, 2, 1, 0},
		"recovery time of two octets": {0, 96, 0, 2, 1, 1},
		"failed rule without an ID":   {0, 114, 0, 1, 0},
	} {
		var m Message
		if err := m.Read(pfcp.Header{}, ies, Strict); err == nil {
			t.Errorf("%s: read as %+v", name, m)
		}
		if err := m.Read(pfcp.Header{}, ies, Tolerant); err != nil {
			t.Errorf("%s: a tolerant reader says %v", name, err)
		}
	}
}
