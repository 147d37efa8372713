package n4

import (
	"errors"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// TestNothingIsIgnored: parameters that would change what becomes of packets, and are not
// done, have their rule refused.
func TestNothingIsIgnored(t *testing.T) {
	value := []byte{1, 1, 1, 1}
	for _, typ := range []uint16{ie.RedirectInformation, ie.ForwardingPolicy, ie.HeaderEnrichment, ie.Proxying, request.IEReplacement} {
		_, err := request.DecodeUpdateFAR(request.Fields{ie.NewFARID(7), ie.NewUpdateForwardingParameters(ie.New(typ, value))})
		wantRule(t, typ, err, session.KindFAR)
	}
	for _, typ := range []uint16{request.IEMBSMulticast, request.IEMBSUnicast, request.IERemoveMBSUnicast} {
		_, err := request.DecodeUpdateFAR(request.Fields{ie.NewFARID(7), ie.New(typ, value)})
		wantRule(t, typ, err, session.KindFAR)
	}
	for _, typ := range []uint16{ie.PacketRate, ie.DLFlowLevelMarking, ie.QERControlIndications, request.IEQERIndications} {
		_, err := request.DecodeUpdateQER(request.Fields{ie.NewQERID(7), ie.New(typ, value)})
		wantRule(t, typ, err, session.KindQER)
	}
	for _, typ := range []uint16{ie.DroppedDLTrafficThreshold, ie.EventThreshold, ie.EventQuota, ie.NumberOfReports,
		ie.EthernetInactivityTimer, ie.AggregatedURRs,
		ie.SubsequentEventThreshold, ie.SubsequentEventQuota, ie.TimeQuotaMechanism, ie.UserPlaneInactivityTimer,
		ie.ApplicationID, ie.SDFFilter} {
		_, err := request.DecodeUpdateURR(request.Fields{ie.NewURRID(7), ie.New(typ, value)})
		wantRule(t, typ, err, session.KindURR)
	}
	for _, typ := range []uint16{ie.ActivationTime, ie.DeactivationTime, ie.MARID, ie.TransportDelayReporting,
		ie.PacketReplicationAndDetectionCarryOnInformation, ie.MPTCPApplicableIndication, ie.UEIPAddressPoolIdentity} {
		_, err := request.DecodeUpdatePDR(request.Fields{ie.NewPDRID(7), ie.New(typ, value)})
		wantRule(t, typ, err, session.KindPDR)
	}
	for _, typ := range []uint16{ie.CreateMAR, ie.UpdateMAR, ie.RemoveMAR, ie.CreateSRR, ie.UpdateSRR, ie.RemoveSRR,
		ie.ProvideATSSSControlInformation,
		ie.CreateBridgeInfoForTSC, ie.TSCManagementInformationWithinSessionModificationRequest,
		ie.EthernetContextInformation, ie.AccessAvailabilityInformation,
		ie.ProvideRDSConfigurationInformation, ie.MTEDTControlInformation, ie.QueryPacketRateStatusWithinSessionModificationRequest,
		request.IEL2TPTunnel, request.IEL2TPSession, request.IEMBSN4mbControl, request.IEMBSN4Control, request.IEDSCPToPPI} {
		_, err := request.DecodeChanges(request.Fields{ie.New(typ, nil)})
		if r := request.RejectionOf(err); err == nil || r.Cause != ie.CauseServiceNotSupported || r.Offending != typ {
			t.Errorf("IE %d: %v, want cause 76 and the IE", typ, err)
		}
	}
	for _, typ := range []uint16{ie.EthernetPacketFilter, ie.EthernetPDUSessionInformation,
		ie.RedundantTransmissionParameters, ie.IPMulticastAddressingInfo,
		request.IEDNSQueryFilter, request.IEMBSSession, request.IEAreaSession} {
		_, err := request.DecodeUpdatePDR(request.Fields{ie.NewPDRID(7), ie.NewPDI(ie.NewSourceInterface(0), ie.New(typ, value))})
		wantRule(t, typ, err, session.KindPDR)
	}
}

func wantRule(t *testing.T, typ uint16, err error, kind session.Kind) {
	t.Helper()
	var rule *session.RuleError
	if !errors.As(err, &rule) || rule.Kind != kind || rule.ID != 7 {
		t.Errorf("IE %d: %v, want an error about %v 7", typ, err, kind)
	}
}
