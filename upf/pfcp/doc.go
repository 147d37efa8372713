// Package pfcp is the UP function's side of PFCP (3GPP TS 29.244, release 16):
// it keeps associations and sessions for any number of CP functions and gives
// a datapath the rules they ask for.
//
// A request goes through the same steps whatever it is: parseHeader, decode
// (the only place where a peer's IEs are read), the procedure in the file of
// its name, answer. A session change is applied whole or not at all: it is
// made on a copy of the rules, validated, given to the datapath, and only then
// kept.
//
// What is not carried out is refused, with these exceptions, which are
// accepted and without effect: URRs and BARs (no usage is measured or
// reported), MBR (kept with the rules, enforced by no datapath yet) and GBR,
// Network Instance, 3GPP Interface Type, the IPv6 part of an IPv4v6 session, an
// SDF filter that matches everything, and BUFF when Config.Buffering says so.
//
// Not supported: PFD management, session sets, message bundling, UE address
// allocation by the UP function, traffic endpoints, predefined rules, N9, IPv6.
package pfcp

import "time"

// Port is PFCP's registered UDP port (TS 29.244 clause 4.4.2).
const Port = 8805

// Message types (TS 29.244 table 7.3-1). A response's type is its request's
// plus one, Version Not Supported excepted.
const (
	heartbeatRequest      = 1
	heartbeatResponse     = 2
	pfdManagementRequest  = 3
	pfdManagementResponse = 4
	setupRequest          = 5
	setupResponse         = 6
	updateRequest         = 7
	updateResponse        = 8
	releaseRequest        = 9
	releaseResponse       = 10
	versionNotSupported   = 11
	nodeReportRequest     = 12
	nodeReportResponse    = 13
	sessionSetRequest     = 14
	sessionSetResponse    = 15
	establishmentRequest  = 50
	establishmentResponse = 51
	modificationRequest   = 52
	modificationResponse  = 53
	deletionRequest       = 54
	deletionResponse      = 55
	sessionReportRequest  = 56
	sessionReportResponse = 57
)

// ntpOffset is how many seconds 1970 is after 1900, from which PFCP's time
// stamps count (clause 8.2.65).
const ntpOffset = 2208988800

// timestamp gives t as a Recovery Time Stamp holds it.
func timestamp(t time.Time) uint32 { return uint32(t.Unix() + ntpOffset) }
