package smf

import (
	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// advice says what to do about a cause; empty when there is nothing to say.
func advice(c pfcp.Cause) string {
	switch uint8(c) {
	case ie.CauseSessionContextNotFound:
		return "the UPF has lost the session: did it restart, or did another SMF associate?"
	case ie.CauseMandatoryIEMissing, ie.CauseConditionalIEMissing, ie.CauseInvalidLength, ie.CauseMandatoryIEIncorrect:
		return "check that the dialect is this UPF's"
	case ie.CauseInvalidFTEIDAllocationOption:
		return "let the SMF assign the F-TEID (assign: smf)"
	case ie.CauseNoEstablishedPFCPAssociation:
		return "associate first; the UPF may have dropped the association because heartbeats were missing"
	case ie.CauseRuleCreationModificationFailure:
		return "read the UPF's log; usual reasons are its table sizes and CHOOSE where it is off"
	case ie.CausePFCPEntityInCongestion, ie.CauseNoResourcesAvailable:
		return "ask for fewer sessions or raise the UPF's limits"
	}
	return ""
}
