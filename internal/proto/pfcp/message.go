package pfcp

import "fmt"

// MessageType is the second octet of the header (TS 29.244 table 7.3-1). A
// response's type is its request's plus one, except for VersionNotSupported.
type MessageType uint8

// The messages.
const (
	HeartbeatRequest               MessageType = 1
	HeartbeatResponse              MessageType = 2
	PFDManagementRequest           MessageType = 3
	PFDManagementResponse          MessageType = 4
	AssociationSetupRequest        MessageType = 5
	AssociationSetupResponse       MessageType = 6
	AssociationUpdateRequest       MessageType = 7
	AssociationUpdateResponse      MessageType = 8
	AssociationReleaseRequest      MessageType = 9
	AssociationReleaseResponse     MessageType = 10
	VersionNotSupported            MessageType = 11
	NodeReportRequest              MessageType = 12
	NodeReportResponse             MessageType = 13
	SessionSetDeletionRequest      MessageType = 14
	SessionSetDeletionResponse     MessageType = 15
	SessionSetModificationRequest  MessageType = 16
	SessionSetModificationResponse MessageType = 17
	SessionEstablishmentRequest    MessageType = 50
	SessionEstablishmentResponse   MessageType = 51
	SessionModificationRequest     MessageType = 52
	SessionModificationResponse    MessageType = 53
	SessionDeletionRequest         MessageType = 54
	SessionDeletionResponse        MessageType = 55
	SessionReportRequest           MessageType = 56
	SessionReportResponse          MessageType = 57
)

var messageNames = [...]string{
	HeartbeatRequest:               "Heartbeat Request",
	HeartbeatResponse:              "Heartbeat Response",
	PFDManagementRequest:           "PFD Management Request",
	PFDManagementResponse:          "PFD Management Response",
	AssociationSetupRequest:        "Association Setup Request",
	AssociationSetupResponse:       "Association Setup Response",
	AssociationUpdateRequest:       "Association Update Request",
	AssociationUpdateResponse:      "Association Update Response",
	AssociationReleaseRequest:      "Association Release Request",
	AssociationReleaseResponse:     "Association Release Response",
	VersionNotSupported:            "Version Not Supported Response",
	NodeReportRequest:              "Node Report Request",
	NodeReportResponse:             "Node Report Response",
	SessionSetDeletionRequest:      "Session Set Deletion Request",
	SessionSetDeletionResponse:     "Session Set Deletion Response",
	SessionSetModificationRequest:  "Session Set Modification Request",
	SessionSetModificationResponse: "Session Set Modification Response",
	SessionEstablishmentRequest:    "Session Establishment Request",
	SessionEstablishmentResponse:   "Session Establishment Response",
	SessionModificationRequest:     "Session Modification Request",
	SessionModificationResponse:    "Session Modification Response",
	SessionDeletionRequest:         "Session Deletion Request",
	SessionDeletionResponse:        "Session Deletion Response",
	SessionReportRequest:           "Session Report Request",
	SessionReportResponse:          "Session Report Response",
}

// String returns the type's name in the words of TS 29.244.
func (t MessageType) String() string {
	if t.known() {
		return messageNames[t]
	}
	return fmt.Sprintf("message of type %d", uint8(t))
}

func (t MessageType) known() bool {
	return int(t) < len(messageNames) && messageNames[t] != ""
}

// OfSession reports whether messages of the type belong to a session and so
// have a SEID (clause 7.2.2.3).
func (t MessageType) OfSession() bool {
	return t >= SessionEstablishmentRequest && t < 100
}

// IsResponse reports whether the type is that of an answer: even below Version
// Not Supported, odd from there on.
func (t MessageType) IsResponse() bool {
	return t.known() && (t%2 == 0) == (t < VersionNotSupported)
}

// IsRequest reports whether a message of the type asks for an answer.
func (t MessageType) IsRequest() bool { return t.known() && !t.IsResponse() }
