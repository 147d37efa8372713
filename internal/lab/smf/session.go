package smf

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/smf/rules"
)

// Session is the preset of a load's PDU session: an uplink and a downlink PDR with a FAR each, and
// one QoS flow. The dialect decides which further rules and IEs the UPF gets.
type Session struct {
	Index int        // in its scenario, for messages
	UE    netip.Addr // IPv4 or IPv6
	UE6   netip.Addr // the IPv6 address of a session of PDU session type IPv4v6, whose UE is the IPv4 one
	// UplinkTEID is the UPF's, to which the gNB sends; 0 leaves the choice to the UPF (CHOOSE, TS
	// 29.244 clause 5.5.3).
	UplinkTEID   uint32
	DownlinkTEID uint32     // the gNB's
	GNB          netip.Addr // the gNB's N3 address
	QFI          uint8      // 1..63
	N3           netip.Addr // the UPF's N3 address
	// NetworkInstance is the name in its PDRs and FARs; empty means that of Config.
	NetworkInstance string
	// PDRs is how many it has in all, at most MaxPDRs; up to 2 mean one for each direction. The
	// others have SDF filters for hosts of 203.0.113.0/24, of a UE with IPv6 alone for hosts of
	// 2001:db8:113::/64, and come first in precedence.
	PDRs int
}

// MaxPDRs is the most PDRs of a session. Beyond the first two, each pair has the filter of one host of
// 203.0.113.0/24 or 2001:db8:113::/64.
const MaxPDRs = 256

// String names the session as messages do: "session 17 (UE 10.45.0.19)".
func (s *Session) String() string { return fmt.Sprintf("session %d (UE %s)", s.Index, s.UE) }

// Established is a session that the UPF has accepted.
type Established struct {
	Session
	CPSEID     uint64     // ours
	UPSEID     uint64     // the UPF's
	UplinkTEID uint32     // given in Session, or chosen by the UPF
	N3         netip.Addr // where the gNB sends: given, or chosen by the UPF
}

// Change is the preset of what a modification does to a session's downlink and its QER.
type Change struct {
	// GNB and TEID are the new downlink tunnel, as in a handover. An invalid GNB leaves the tunnel
	// as it is.
	GNB  netip.Addr
	TEID uint32
	// EndMarker asks the UPF to send End Markers on the old tunnel (TS 29.244 clause 5.2.3.2).
	EndMarker bool
	// Action is the downlink FAR's new action; 0 leaves it as it is.
	Action rules.Action
	// MBR is the QER's new maximum bit rate in each direction, kbit/s; 0 leaves the QER as it is. It
	// needs a dialect with QERs.
	MBR uint64
}

// The IDs of the preset's rules, which are the same in each session.
const (
	pdrUplink   = 1
	pdrDownlink = 2
	farUplink   = 1
	farDownlink = 2
	qerID       = 1
	urrID       = 1
)

// preset is room for the rules of a Session or a Change, so that a load makes them without allocating.
type preset struct {
	session  rules.Session
	change   rules.Change
	downlink rules.Tunnel
	qfi      [1]uint8
}

// The lists of the preset's PDRs, and the precedences: those of the two plain PDRs do not overlap.
var (
	presetQERs = []uint32{qerID}
	presetURRs = []uint32{urrID}
)

const (
	plainPrecedence    = 255
	filteredPrecedence = 32 // a lower value is looked at first (TS 29.244 clause 5.2.1)
)

// rulesOf makes the rules of a load's session in the writer's dialect. They are valid until the next call.
func (w *Writer) rulesOf(s *Session) *rules.Session {
	r := &w.preset.session
	*r = rules.Session{PDRs: r.PDRs[:0], FARs: r.FARs[:0], QERs: r.QERs[:0], URRs: r.URRs[:0], Instance: s.NetworkInstance}
	r.PDRs = append(r.PDRs, rules.PDR{}, rules.PDR{})
	w.plainPDRs(s, &r.PDRs[0], &r.PDRs[1])
	for n := range s.PDRs - 2 {
		r.PDRs = append(r.PDRs, filteredPDR(&r.PDRs[n%2], n, s.UE.Is6()))
	}
	w.preset.downlink = rules.Tunnel{TEID: s.DownlinkTEID, Peer: s.GNB}
	r.FARs = append(r.FARs, rules.FAR{ID: farUplink, Action: rules.Forward, To: rules.Core},
		rules.FAR{ID: farDownlink, Action: rules.Forward, To: rules.Access, Tunnel: &w.preset.downlink})
	if w.QER {
		r.QERs = append(r.QERs, rules.QER{ID: qerID, QFI: s.QFI})
	}
	if w.URR { // go-upf counts only where a periodic report is asked for; hourly means at the end
		r.URRs = append(r.URRs, rules.URR{ID: urrID, Method: rules.ByVolume, Triggers: rules.Periodic, Period: 3600})
	}
	return r
}

// TakeDownlink takes the downlink PDRs and FARs out of the rules of a session where the UPF forwards only those of
// a modification, and gives the modification that creates them; nil: they stay. Their QERs and URRs stay: they are
// also those of uplink.
func (w *Writer) TakeDownlink(s *rules.Session) *rules.Change {
	if !w.DownlinkByModification {
		return nil
	}
	c := &rules.Change{Create: rules.Session{Instance: s.Instance}}
	s.PDRs = slices.DeleteFunc(s.PDRs, func(p rules.PDR) bool {
		if p.From == rules.Core {
			c.Create.PDRs = append(c.Create.PDRs, p)
		}
		return p.From == rules.Core
	})
	s.FARs = slices.DeleteFunc(s.FARs, func(f rules.FAR) bool {
		if f.To == rules.Access {
			c.Create.FARs = append(c.Create.FARs, f)
		}
		return f.To == rules.Access
	})
	return c
}

// plainPDRs makes the uplink PDR, which detects packets by their tunnel, and the downlink PDR, which
// detects them by the UE's address.
func (w *Writer) plainPDRs(s *Session, up, down *rules.PDR) {
	up.ID, up.Precedence, up.From, up.FAR = pdrUplink, plainPrecedence, rules.Access, farUplink
	up.TEID, up.Choose, up.N3 = s.UplinkTEID, s.UplinkTEID == 0, s.N3
	down.ID, down.Precedence, down.From, down.FAR = pdrDownlink, plainPrecedence, rules.Core, farDownlink
	down.UE, down.UE6 = s.UE, s.UE6
	if w.SourceIPInUplinkPDI {
		up.UE, up.UE6 = s.UE, s.UE6
	}
	if w.QFIInUplinkPDI {
		w.preset.qfi[0] = s.QFI
		up.QFIs = w.preset.qfi[:]
	}
	if w.QER {
		up.QERs, down.QERs = presetQERs, presetQERs
	}
	if w.URR {
		up.URRs, down.URRs = presetURRs, presetURRs
	}
}

// filteredPDR is the n-th PDR beyond the first two, from 0, in turn like the uplink and the downlink PDR. Its filter has
// the UE's family, and no test packet matches it.
func filteredPDR(like *rules.PDR, n int, ofIPv6 bool) rules.PDR {
	p := *like
	if p.From == rules.Access { // the filter has the addresses
		p.UE, p.UE6, p.QFIs = netip.Addr{}, netip.Addr{}, nil
	}
	p.ID, p.Precedence = uint16(pdrDownlink+1+n), filteredPrecedence
	host := fmt.Sprintf("203.0.113.%d/32", n/2)
	if ofIPv6 {
		host = fmt.Sprintf("2001:db8:113::%x/128", n/2)
	}
	p.Filters = []rules.Filter{{Flow: "permit out ip from " + host + " to assigned"}}
	return p
}

// changeOf makes the rules that a load's modification updates. They are valid until the next call.
func (w *Writer) changeOf(c Change) *rules.Change {
	u := &w.preset.change.Update
	u.FARs, u.QERs = u.FARs[:0], u.QERs[:0]
	if c.MBR != 0 {
		u.QERs = append(u.QERs, rules.QER{ID: qerID, MBRUp: c.MBR, MBRDown: c.MBR, KeepGates: true})
	}
	if c.Action != 0 || c.GNB.IsValid() {
		w.preset.downlink = rules.Tunnel{TEID: c.TEID, Peer: c.GNB}
		u.FARs = append(u.FARs, rules.FAR{ID: farDownlink, Action: c.Action, Tunnel: &w.preset.downlink,
			EndMarkers: c.EndMarker, KeepDestination: true, ActionOnly: !c.GNB.IsValid()})
	}
	return &w.preset.change
}

// Check refuses values that no UPF could take.
func (s *Session) Check() error {
	switch {
	case !s.UE.IsValid() || s.UE.Is4In6():
		return fmt.Errorf("session %d: %q is not a UE address", s.Index, s.UE)
	case s.UE6.IsValid() && (!s.UE.Is4() || !s.UE6.Is6() || s.UE6.Is4In6()):
		return fmt.Errorf("%s: %q is not the IPv6 address that goes with it", s, s.UE6)
	case !s.GNB.IsValid() || s.GNB.Is4In6():
		return fmt.Errorf("%s: %q is not a gNB address", s, s.GNB)
	case s.UplinkTEID != 0 && !s.N3.IsValid() || s.N3.Is4In6():
		return fmt.Errorf("%s: an uplink TEID needs the UPF's N3 address, not %q", s, s.N3)
	case s.QFI < 1 || s.QFI > 63:
		return fmt.Errorf("%s: QFI %d is not in 1..63 (TS 23.501 clause 5.7.1)", s, s.QFI)
	case s.PDRs < 0 || s.PDRs > MaxPDRs:
		return fmt.Errorf("%s: %d PDRs are not in 0..%d", s, s.PDRs, MaxPDRs)
	case s.PDRs > 2 && s.UplinkTEID == 0:
		return fmt.Errorf("%s: several uplink PDRs need a TEID of the SMF's (teid.assign: smf)", s)
	}
	if err := checkInstance(s.NetworkInstance); err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	return nil
}

// checkInstance refuses names that DNS labels cannot carry.
func checkInstance(name string) error {
	if name == "" {
		return nil
	}
	for label := range strings.SplitSeq(name, ".") {
		if len(label) == 0 || len(label) > 63 {
			return fmt.Errorf("network instance %q: each part between dots must have 1 to 63 characters", name)
		}
	}
	return nil
}
