package pfcp

import (
	"fmt"
	"testing"
)

func TestNames(t *testing.T) {
	for got, want := range map[fmt.Stringer]string{
		Cause(73):                             "Rule creation/modification Failure",
		Cause(200):                            "cause 200",
		IEType(109):                           "QER ID",
		IEType(160):                           "3GPP Interface Type",
		IEType(170):                           "unknown IE",
		IEType(40000):                         "vendor-specific IE",
		MessageType(53):                       "Session Modification Response",
		MessageType(99):                       "message of type 99",
		MessageType(255):                      "message of type 255",
		VersionNotSupported:                   "Version Not Supported Response",
		SessionSetDeletionRequest:             "Session Set Deletion Request",
		MessageType(0):                        "message of type 0",
		SessionEstablishmentRequest:           "Session Establishment Request",
		SessionSetModificationResponse:        "Session Set Modification Response",
		AssociationUpdateRequest:              "Association Update Request",
		SessionReportResponse:                 "Session Report Response",
		MessageType(SessionReportRequest - 1): "Session Deletion Response",
	} {
		if got.String() != want {
			t.Errorf("%T %v, want %q", got, got, want)
		}
	}
}

func TestKindsOfMessages(t *testing.T) {
	for typ := range 256 {
		m := MessageType(typ)
		if m.IsRequest() && (m.IsResponse() || !(m + 1).IsResponse()) {
			t.Errorf("%v is a request; %v should be its answer", m, m+1)
		}
		if m.IsResponse() && m != VersionNotSupported && !(m - 1).IsRequest() {
			t.Errorf("%v answers no request", m)
		}
	}
	for _, s := range samples(t) {
		if s.header.Type.OfSession() != s.header.HasSEID {
			t.Errorf("%s: of a session: %v, scapy writes a SEID: %v", s.name, s.header.Type.OfSession(), s.header.HasSEID)
		}
	}
}
