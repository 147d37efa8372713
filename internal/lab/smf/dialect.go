package smf

import "time"

// Assign says who chooses the uplink F-TEID (TS 29.244 clause 5.5).
type Assign string

// The two ways. AssignUPF sends CHOOSE and takes the F-TEID from Created PDR.
const (
	AssignSMF Assign = "smf"
	AssignUPF Assign = "upf"
)

// Instance says how a Network Instance is written (TS 29.244 clause 8.2.4).
type Instance uint8

// The ways. The specification leaves the encoding to the operator, and UPFs
// differ.
const (
	InstanceOmitted Instance = iota
	InstanceLabels           // as DNS labels: a length octet before each
	InstanceRaw              // as the plain string
)

// Dialect is what a UPF wants to see in PFCP, in addition to what TS 29.244 asks of
// everybody. The zero value is not useful: start from Standard or Lookup.
type Dialect struct {
	Name string

	// QER sends a QER with the QFI and open gates and names it in every PDR.
	// SD-Core drops everything without one; eUPF falls back to the QER at index
	// 0, which is somebody else's; Open5GS adds the PDU session container only
	// with one.
	QER bool
	// MBR is the QER's maximum bit rate in each direction, in kbit/s (clause
	// 8.2.8, at most 2^40-1); 0 leaves the IE out, which means unlimited. UP4
	// drops everything without one.
	MBR uint64
	// GBR is the QER's guaranteed bit rate, as MBR (clause 8.2.9). OAI rejects a QER that lacks one of
	// the two, though both are conditional.
	GBR uint64
	// URR sends a URR that measures volume and names it in every PDR. Nothing
	// here needs one to forward.
	URR bool
	// ReportingTriggersOctets is the length of that URR's Reporting Triggers,
	// 2 or 3 (clause 8.2.19). Open5GS does not answer when there are 2.
	ReportingTriggersOctets int

	// InterfaceType adds 3GPP Interface Type, N3 = 11 and N6 = 17 (clause
	// 8.2.118). Without it Open5GS accepts the session and forwards nothing.
	InterfaceType bool
	// PDNType adds the PDN Type (clause 8.2.79). Open5GS needs it as above.
	PDNType bool
	// ApplyActionOctets is the length of Apply Action, 1 or 2 (clause 8.2.26).
	// Open5GS from 2.8.0 does not answer when there is 1.
	ApplyActionOctets int
	// NetworkInstance says how to write Config.NetworkInstance. UPG-VPP dies
	// when it is missing and rejects the plain string; free5GC ignores it.
	NetworkInstance Instance
	// OneInstance gives all sessions Config.NetworkInstance: UPG-VPP rejects names that its
	// configuration lacks.
	OneInstance bool
	// OuterHeaderRemoval is the description to send in the uplink PDR (clause
	// 8.2.64): 0 for GTP-U/UDP/IPv4 (1 is sent in its place when N3 is IPv6), 6
	// for GTP-U/UDP/IP. eUPF accepts 6 and forwards nothing.
	OuterHeaderRemoval uint8
	// SourceIPInUplinkPDI adds the UE IP Address, as the source, to the uplink
	// PDI, by which a UPF can refuse packets with a forged source. eUPF looks at
	// the F-TEID alone.
	SourceIPInUplinkPDI bool
	// QFIInUplinkPDI adds the QFI to the uplink PDI. OAI's simple switch takes that of downlink from it.
	QFIInUplinkPDI bool

	// DownlinkByModification creates what forwards downlink by a Session Modification Request after the
	// establishment, as an SMF does that learns the gNB's F-TEID only then. OAI's BPF programs do not
	// forward the downlink of an establishment. It is for loads and for the session that is watched during an attack:
	// behaviour cases send what they say.
	DownlinkByModification bool

	// Settling is how long after the answers to establishments the UPF takes until it forwards rightly,
	// with no sign on N4; 0 when it forwards at once.
	Settling time.Duration

	// Assign is the way that this UPF does best. free5GC accepts CHOOSE and
	// gives TEID 0; SPGWU-tiny knows only CHOOSE.
	Assign Assign
	// SessionsPerAssociation is the most that the UPF takes with the settings
	// it comes with; 0 when no limit is known.
	SessionsPerAssociation int
	// DLPSC is true when downlink G-PDUs carry a PDU session container (TS
	// 38.415). UPG-VPP's do not: they are 8 octets shorter.
	DLPSC bool

	// HeartbeatFirst exchanges a heartbeat between the association and the
	// first session. Open5GS deletes the sessions of a node when a heartbeat
	// shows it a Recovery Time Stamp that is new to it.
	HeartbeatFirst bool
	// HeartbeatEvery is the longest silence on N4 that the UPF bears; 0 when it
	// bears any. SD-Core deletes all sessions after 15 s of it.
	HeartbeatEvery time.Duration
	// ReleaseUnanswered does not wait for an answer to the Association Release
	// Request. eUPF, free5GC, NextGCore, OAI and SPGWU-tiny give none.
	ReleaseUnanswered bool
}
