package upf

import (
	"net"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// messageOf is a PFCP message with IEs.
func messageOf(typ pfcp.MessageType, seid uint64, sequence uint32, ies ...*ie.IE) []byte {
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: typ, SEID: seid, Sequence: sequence})
	for _, i := range ies {
		b, err := i.Marshal()
		if err != nil {
			panic(err)
		}
		m.IE(i.Type, b[4:]...)
	}
	return m.Bytes()
}

// establish has an SMF associate and make a session: UE 10.45.0.1, TEID 0x77, gNB
// 127.83.7.2 with TEID 0x88, and URR 4.
func establish(t *testing.T) {
	t.Helper()
	node := ie.NewNodeID("127.83.7.1", "", "")
	ask(t, "127.83.7.8:8805", messageOf(pfcp.AssociationSetupRequest, 0, 1, node, ie.NewUint32IE(ie.RecoveryTimeStamp, 1)))
	answer := ask(t, "127.83.7.8:8805", messageOf(pfcp.SessionEstablishmentRequest, 0, 2,
		node, ie.NewFSEID(0x51, net.IPv4(127, 0, 0, 1), nil),
		ie.NewCreatePDR(ie.NewPDRID(1), ie.NewPrecedence(100), ie.NewPDI(
			ie.NewSourceInterface(ie.SrcInterfaceAccess), ie.NewFTEID(1, 0x77, net.IPv4(127, 83, 7, 9), nil, 0),
			ie.NewUEIPAddress(2, "10.45.0.1", "", 0, 0)),
			ie.NewOuterHeaderRemoval(0, 0), ie.NewFARID(1), ie.NewURRID(4)),
		ie.NewCreatePDR(ie.NewPDRID(2), ie.NewPrecedence(100), ie.NewPDI(
			ie.NewSourceInterface(ie.SrcInterfaceCore), ie.NewUEIPAddress(6, "10.45.0.1", "", 0, 0)), ie.NewFARID(2), ie.NewURRID(4)),
		ie.NewCreateFAR(ie.NewFARID(1), ie.NewApplyAction(2), ie.NewForwardingParameters(ie.NewDestinationInterface(ie.DstInterfaceCore))),
		ie.NewCreateFAR(ie.NewFARID(2), ie.NewApplyAction(2), ie.NewForwardingParameters(ie.NewDestinationInterface(ie.DstInterfaceAccess),
			ie.NewOuterHeaderCreation(0x100, 0x88, "127.83.7.2", "", 0, 0, 0))),
		ie.NewCreateURR(ie.NewURRID(4), ie.NewMeasurementMethod(0, 1, 0), ie.NewReportingTriggers(0x02, 0x00),
			ie.NewVolumeThreshold(1, 1e9, 0, 0)),
	))
	const causeAt = 16 + 4 + 5 + 4
	if len(answer) <= causeAt || answer[causeAt] != ie.CauseRequestAccepted {
		t.Fatalf("the session is refused: %x", answer)
	}
}
