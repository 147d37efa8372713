package smf

import "net/netip"

// Session is one PDU session as the SMF wants it: an uplink and a downlink PDR
// with a FAR each, and one QoS flow.
type Session struct {
	Index int        // of the session in its scenario, for messages
	UE    netip.Addr // IPv4 or IPv6
	// UplinkTEID is the UPF's, which the gNB sends to; 0 leaves the choice to
	// the UPF (CHOOSE, TS 29.244 clause 5.5.3).
	UplinkTEID   uint32
	DownlinkTEID uint32     // the gNB's
	GNB          netip.Addr // the gNB's N3 address
	QFI          uint8      // 1..63
	N3           netip.Addr // the UPF's N3 address
	// NetworkInstance is the name in its PDRs and FARs; "": Config's.
	NetworkInstance string
	// PDRs is how many it has in all, at most MaxPDRs; up to 2: one a direction. The others
	// have SDF filters for hosts of 203.0.113.0/24 and are looked at first.
	PDRs int
}

// Established is a session that the UPF has accepted.
type Established struct {
	Session
	CPSEID     uint64     // ours
	UPSEID     uint64     // the UPF's
	UplinkTEID uint32     // given in Session, or chosen by the UPF
	N3         netip.Addr // where the gNB sends: given, or chosen by the UPF
}

// Action is what a downlink FAR does (TS 29.244 clause 8.2.26, octet 5).
type Action uint8

// The actions that a Change can ask for. NotifyCP goes with Buffer.
const (
	Drop     Action = 1 << 0
	Forward  Action = 1 << 1
	Buffer   Action = 1 << 2
	NotifyCP Action = 1 << 3
)

// Change is what a modification does to a session's downlink.
type Change struct {
	// GNB and TEID are the new downlink tunnel, as in a handover. An invalid
	// GNB leaves the tunnel as it is.
	GNB  netip.Addr
	TEID uint32
	// EndMarker asks the UPF to send end markers on the old tunnel (TS 29.244
	// clause 5.2.3.2, flag SNDEM).
	EndMarker bool
	// Action is the FAR's new action; 0 leaves it as it is.
	Action Action
	// MBR is the QER's new maximum bit rate in each direction, kbit/s; 0 leaves the QER as
	// it is. It needs a dialect with QERs.
	MBR uint64
}

// The rules' IDs; each session has the same, as they are the session's own.
const (
	pdrUplink   = 1
	pdrDownlink = 2
	farUplink   = 1
	farDownlink = 2
	qerID       = 1
	urrID       = 1
)
