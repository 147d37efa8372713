package datapathtest

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// The tunnels of quotaActions' downlink packets: their own, and those of the quotas of URRs 1 and 3.
const (
	ownTEID    = 2
	firstTEID  = 0x51
	secondTEID = 0x52
)

// quotaActions is a session with a FAR for each quota. limits are those of URRs 1, 2 and 3.
func quotaActions(limits [3]session.Limits) *session.Rules {
	return pair(1, "10.45.0.2", 1, func(r *session.Rules) {
		withQER(session.QER{QFI: 1, GateUL: true, GateDL: true})(r)
		r.PDRs[1].PDI.UE6 = netip.MustParsePrefix("2001:db8:45:2::/64")
		r.PDRs[0].URRs, r.PDRs[1].URRs = []uint32{2}, []uint32{1, 3}
		for i, far := range []uint32{9, 8, 10} {
			r.URRs = append(r.URRs, session.URR{ID: uint32(i) + 1, Limits: limits[i], Asked: session.URRParameters{QuotaFAR: far}})
		}
		gnb := r.FARs[1].Outer.Peer
		r.FARs = append(r.FARs, session.FAR{ID: 8, Action: session.Drop},
			session.FAR{ID: 9, Action: session.Forward, Destination: session.Access, Outer: &session.OuterHeader{TEID: firstTEID, Peer: gnb}},
			session.FAR{ID: 10, Action: session.Forward, Destination: session.Access, Outer: &session.OuterHeader{TEID: secondTEID, Peer: gnb}})
	})
}

// CheckQuotaAction wants that the packet after the one in which a quota ends goes by the FAR that is given for that, and
// counts (TS 29.244 clause 5.2.2.2.1). send gives the frame that leaves, nil for none; program is n3 or n6.
func CheckQuotaAction(t *testing.T, dp interface {
	Apply([]datapath.Change) error
	Usage(uint64, session.URRKey) (session.Usage, error)
}, send func(program string, frame []byte) []byte) {
	t.Helper()
	frames := map[string][]byte{}
	for _, f := range Frames(t) {
		frames[f.Name] = f.Input(t)
	}
	down := func(name string) int {
		out := send("n6", frames[name])
		if len(out) < 50 {
			return 0
		}
		return int(binary.BigEndian.Uint32(out[46:])) // after Ethernet, IPv4, UDP and half of GTP-U
	}
	const octets = 60 // of each T-PDU of "n6 qfi" and "n3 psc"
	downlink := func(n uint64) session.Limits { return session.Limits{Quota: session.Octets{Downlink: n}} }
	var was *session.Rules
	for _, step := range []struct {
		what   string
		limits [3]session.Limits
		frames []string
		want   []int
	}{
		{"two packets of quota", [3]session.Limits{downlink(2*octets - 1)}, []string{"n6 qfi", "n6 qfi", "n6 qfi", "n6 qfi"},
			[]int{ownTEID, ownTEID, firstTEID, firstTEID}},
		{"one more", [3]session.Limits{downlink(5 * octets)}, []string{"n6 qfi", "n6 qfi"}, []int{ownTEID, firstTEID}},
		{"IPv6 by its own FAR", [3]session.Limits{downlink(1e6)}, []string{"n6 ipv6 udp"}, []int{ownTEID}},
		{"IPv6 of a quota that is used up", [3]session.Limits{downlink(1)}, []string{"n6 ipv6 udp"}, []int{firstTEID}},
		{"a quota that ended by time", [3]session.Limits{{Closed: true}}, []string{"n6 qfi", "n6 ipv6 udp"}, []int{firstTEID, firstTEID}},
		{"the other quota", [3]session.Limits{2: {Closed: true}}, []string{"n6 qfi", "n6 ipv6 udp"}, []int{secondTEID, secondTEID}},
		{"both, of which the first goes", [3]session.Limits{{Closed: true}, {}, {Closed: true}}, []string{"n6 qfi", "n6 ipv6 udp"}, []int{firstTEID, firstTEID}},
		{"none", [3]session.Limits{}, []string{"n6 qfi", "n6 ipv6 udp"}, []int{ownTEID, ownTEID}},
	} {
		r := quotaActions(step.limits)
		if err := dp.Apply([]datapath.Change{{Old: was, New: r}}); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		was = r
		for i, name := range step.frames {
			if got := down(name); got != step.want[i] {
				t.Errorf("%s: packet %d, %q, leaves by TEID %#x, want %#x", step.what, i+1, name, got, step.want[i])
			}
		}
	}
	if u, err := dp.Usage(1, 1); err != nil || u.Downlink.Packets != 16 {
		t.Errorf("the URR counted %+v, %v, want 16 packets", u.Downlink, err)
	}
	r := quotaActions([3]session.Limits{1: {Quota: session.Octets{Uplink: octets}}})
	if err := dp.Apply([]datapath.Change{{Old: was, New: r}}); err != nil {
		t.Fatal(err)
	}
	if first, second := send("n3", frames["n3 psc"]), send("n3", frames["n3 psc"]); first == nil || second != nil {
		t.Errorf("with a FAR that drops: the packet of the quota is sent %v, the next one %v, want true and false", first != nil, second != nil)
	}
}
