package smf

import (
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/upflab/upflab/pfcp"
)

// The UPF's messages come from scapy (testdata/gen.py).
func TestDecodeReadsWhatScapyWrites(t *testing.T) {
	started := time.Date(2025, 6, 4, 4, 26, 40, 0, time.UTC)
	session := pfcp.Header{Type: pfcp.SessionEstablishmentResponse, SEID: goldenCPSEID, HasSEID: true, Sequence: 0x0ABCDE}
	for name, want := range map[string]reply{
		"association-setup-response": {
			Header: pfcp.Header{Type: pfcp.AssociationSetupResponse, Sequence: 1},
			nodeID: "10.10.1.2", cause: 1, recovery: started, features: FTUP | EMPU,
		},
		"association-setup-response-fqdn": {
			Header: pfcp.Header{Type: pfcp.AssociationSetupResponse, Sequence: 1},
			nodeID: "upf.example", cause: 1, recovery: started,
		},
		"establish-accepted": {
			Header: session, nodeID: "10.10.1.2", cause: 1, upSEID: goldenUPSEID,
			created: []createdPDR{{id: 1, teid: 0xCAFE, addr: netip.MustParseAddr("10.10.3.2")}},
		},
		"establish-rejected": {
			Header: session, nodeID: "10.10.1.2", cause: 73, offending: 109, failed: &FailedRule{"QER", 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, ies, _, err := pfcp.Parse(scapyAnswers(t)[name])
			if err != nil {
				t.Fatal(err)
			}
			got, err := decode(h, ies)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("decoded %+v, error %v\n want %+v", got, err, want)
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
		if r, err := decode(pfcp.Header{}, ies); err == nil {
			t.Errorf("%s: decoded as %+v", name, r)
		}
	}
}
