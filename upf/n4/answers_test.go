package n4

import (
	"net/netip"
	"reflect"
	"testing"

	"github.com/upflab/upflab/upf/session"
)

// TestAnswers holds every answer to scapy's octets.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		story string
		steps []string
	}{
		{"a heartbeat needs no association", []string{"heartbeat"}},
		{"version 2", []string{"version-2"}},
		{"PFD management", []string{"pfd"}},
		{"an association's life", []string{"setup", "update", "release"}},
		{"setup without Recovery Time Stamp", []string{"setup-no-recovery"}},
		{"release with Node ID 0.0.0.0", []string{"setup", "establish-given", "release-unspecified", "setup"}},
		{"release by a stranger", []string{"setup", "release-unknown"}},
		{"a session's life, F-TEID given", []string{"setup", "establish-given", "modify-handover", "delete"}},
		{"F-TEID chosen", []string{"setup", "establish-choose", "delete"}},
		{"URR and BAR do no harm", []string{"setup", "establish-urr-bar"}},
		{"an SDF filter for everything", []string{"setup", "establish-any-sdf"}},
		{"no method of a URR", []string{"setup", "urr-no-method"}},
		{"no triggers of a URR", []string{"setup", "urr-no-triggers"}},
		{"no threshold of a URR that wants one", []string{"setup", "urr-no-threshold"}},
		{"no period of a URR that wants one", []string{"setup", "urr-no-period"}},
		{"no link of a URR that wants one", []string{"setup", "urr-no-linked"}},
		{"no holding time of a URR that wants one", []string{"setup", "urr-no-holding"}},
		{"a trigger that is not done", []string{"setup", "urr-unknown-trigger"}},
		{"a URR that is not there", []string{"setup", "urr-unknown"}},
		{"a query for a URR that is not there", []string{"setup", "establish-counted", "query-unknown"}},
		{"no Node ID", []string{"setup", "no-node-id"}},
		{"no CP F-SEID", []string{"setup", "no-f-seid"}},
		{"no PDR", []string{"setup", "no-pdr"}},
		{"no FAR", []string{"setup", "no-far"}},
		{"no PDI", []string{"setup", "no-pdi"}},
		{"no Precedence", []string{"setup", "no-precedence"}},
		{"no FAR ID", []string{"setup", "no-far-id"}},
		{"no Forwarding Parameters", []string{"setup", "no-forwarding-parameters"}},
		{"a QER that is not there", []string{"setup", "unknown-qer"}},
		{"a FAR that is not there", []string{"setup", "unknown-far"}},
		{"an F-TEID of another UPF", []string{"setup", "other-n3"}},
		{"an SDF filter that narrows", []string{"setup", "narrow-sdf", "delete"}},
		{"pfcpsim's filter", []string{"setup", "pfcpsim-filter", "release-unspecified"}},
		{"an SDF filter given by ID", []string{"setup", "sdf-by-id"}},
		{"an SDF filter by an ID that nothing has", []string{"setup", "sdf-unknown-id"}},
		{"an SDF filter that denies", []string{"setup", "sdf-deny"}},
		{"buffering", []string{"setup", "buffer"}},
		{"an Ethernet session", []string{"setup", "ethernet-pdn"}},
		{"an IPv6 session", []string{"setup", "ipv6", "delete"}},
		{"an IPv4v6 session", []string{"setup", "ipv4v6", "delete"}},
		{"a delegated prefix", []string{"setup", "ipv6-delegated"}},
		{"one IPv6 address", []string{"setup", "ipv6-length"}},
		{"a prefix of 129 bits", []string{"setup", "ipv6-too-long"}},
		{"a prefix without its length", []string{"setup", "ipv6-short"}},
		{"a link-local prefix", []string{"setup", "ipv6-link-local"}},
		{"a UE IP Address with no address", []string{"setup", "no-address-in-ue"}},
		{"a short F-TEID", []string{"setup", "short-fteid"}},
		{"an unknown type of Node ID", []string{"setup", "node-id-type"}},
		{"modify what is not there", []string{"setup", "establish-given", "modify-unknown-far"}},
		{"remove a FAR in use", []string{"setup", "establish-given", "modify-used-far"}},
		{"modify no session", []string{"setup", "modify-unknown-session"}},
		{"delete no session", []string{"setup", "delete-unknown"}},
	} {
		t.Run(c.story, func(t *testing.T) { newBench(t, nil).play(c.steps...) })
	}
}

func TestEstablishedRules(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given")
	ue := netip.MustParseAddr("10.45.0.2")
	want := &session.Rules{
		SEID: firstSEID,
		PDRs: []session.PDR{
			{ID: 1, Precedence: 255, RemoveOuterHeader: true, FAR: 1, QERs: []uint32{1},
				PDI: session.PDI{Source: session.Access, TEID: 1, HasTEID: true, UE: ue}},
			{ID: 2, Precedence: 255, FAR: 2, QERs: []uint32{1}, PDI: session.PDI{Source: session.Core, UE: ue}},
		},
		FARs: []session.FAR{
			{ID: 1, Action: session.Forward, Destination: session.Core},
			{ID: 2, Action: session.Forward, Destination: session.Access,
				Outer: &session.OuterHeader{TEID: 2, Peer: netip.MustParseAddr("192.0.2.1")}},
		},
		QERs: []session.QER{{ID: 1, QFI: 9, GateUL: true, GateDL: true, MBRUL: 200_000_000_000, MBRDL: 100_000_000}},
	}
	if got := b.rules(); !reflect.DeepEqual(got, want) {
		t.Errorf("rules:\n got %+v\nwant %+v", got, want)
	}
	if !b.HasTEID(1) || b.HasTEID(2) {
		t.Error("HasTEID does not know the uplink TEID, or takes the gNB's for the UPF's")
	}
}

func TestModifiedRules(t *testing.T) {
	for _, c := range []struct {
		step  string
		check func(*session.Rules) bool
	}{
		{"modify-handover", func(r *session.Rules) bool {
			return *r.FindFAR(2).Outer == session.OuterHeader{TEID: 0x22, Peer: netip.MustParseAddr("192.0.2.2")}
		}},
		{"modify-drop", func(r *session.Rules) bool {
			return r.FindFAR(2).Action == session.Drop && r.FindFAR(2).Outer != nil
		}},
		{"modify-qer", func(r *session.Rules) bool {
			q := r.FindQER(1)
			return !q.GateUL && q.GateDL && q.QFI == 5 && q.MBRDL == 100_000_000
		}},
		{"modify-add", func(r *session.Rules) bool {
			return r.FindPDR(1) == nil && r.FindPDR(7).PDI.TEID == firstTEID
		}},
		{"modify-update-pdr", func(r *session.Rules) bool {
			p := r.FindPDR(1)
			return p.Precedence == 32 && p.PDI.TEID == 6 && p.FAR == 1 && p.RemoveOuterHeader
		}},
	} {
		t.Run(c.step, func(t *testing.T) {
			b := newBench(t, nil)
			b.play("setup", "establish-given", c.step)
			if r := b.rules(); !c.check(r) {
				t.Errorf("rules after %s: %+v", c.step, r)
			}
		})
	}
}

func TestEndMarker(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-given", "modify-handover")
	want := []session.OuterHeader{{TEID: 2, Peer: netip.MustParseAddr("192.0.2.1")}}
	if !reflect.DeepEqual(b.ended, want) {
		t.Errorf("end markers for %v, want %v", b.ended, want)
	}
}

// TestEndMarkerOfTwoFARs: a tunnel that two FARs leave gets one.
func TestEndMarkerOfTwoFARs(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-two-fars", "handover-two-fars")
	want := []session.OuterHeader{{TEID: 2, Peer: netip.MustParseAddr("192.0.2.1")}}
	if !reflect.DeepEqual(b.ended, want) {
		t.Errorf("end markers for %v, want %v", b.ended, want)
	}
}

func TestUEPrefixes(t *testing.T) {
	for step, want := range map[string]string{"ipv6": "2001:db8:45:2::/64", "ipv4v6": "2001:db8:45:2::/64",
		"ipv6-delegated": "2001:db8:45::/60", "ipv6-length": "2001:db8:45:2::/128"} {
		b := newBench(t, nil)
		b.play("setup", step)
		for _, p := range b.rules().PDRs {
			if p.PDI.UE6 != netip.MustParsePrefix(want) || p.PDI.UE.IsValid() != (step == "ipv4v6") {
				t.Errorf("%s: PDR %d has UE %v and %v, want %s", step, p.ID, p.PDI.UE, p.PDI.UE6, want)
			}
		}
	}
}
