package datapathtest

import (
	_ "embed"
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/upf/session"
)

//go:embed testdata/relay.txt
var relayFrames string

// RelayFrame is a frame that comes in by N3 for the session of Intermediate, and what
// leaves; nil: nothing does.
type RelayFrame struct {
	Name    string
	In, Out []byte
	ByN6    bool // it leaves by N6
}

// RelayFrames are those of testdata/relay.py.
func RelayFrames(t testing.TB) (list []RelayFrame) {
	t.Helper()
	for line := range strings.Lines(relayFrames) {
		words := strings.Fields(line)
		in, err1 := hex.DecodeString(words[1])
		out, err2 := hex.DecodeString(strings.Trim(words[2], "-"))
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %v, %v", words[0], err1, err2)
		}
		list = append(list, RelayFrame{Name: words[0], In: in, Out: out, ByN6: words[0] == "to_N6_here"})
	}
	return list
}

// Intermediate is a session of a UPF between gNBs and other UPFs: an uplink classifier
// with two N9 and an N6 of its own.
func Intermediate() *session.Rules {
	ue, peer := netip.MustParseAddr("10.45.0.2"), netip.MustParseAddr("192.0.2.2")
	from := func(source session.Interface, teid uint32) session.PDI {
		return session.PDI{Source: source, TEID: teid, HasTEID: true, UE: ue}
	}
	to := func(prefix string) []session.Filter { return []session.Filter{{Remote: netip.MustParsePrefix(prefix)}} }
	into := func(teid uint32) *session.OuterHeader { return &session.OuterHeader{TEID: teid, Peer: peer} }
	r := &session.Rules{
		SEID: 77,
		PDRs: []session.PDR{
			{ID: 1, Precedence: 9, PDI: from(session.Access, 0x10), RemoveOuterHeader: true, FAR: 1, URRs: []uint32{1}},
			{ID: 2, Precedence: 9, PDI: from(session.Core, 0x11), RemoveOuterHeader: true, FAR: 2, URRs: []uint32{1}},
			{ID: 3, Precedence: 1, PDI: from(session.Access, 0x10), RemoveOuterHeader: true, FAR: 3},
			{ID: 5, Precedence: 1, PDI: from(session.Core, 0x11), RemoveOuterHeader: true, FAR: 2, QERs: []uint32{1}},
			{ID: 4, Precedence: 2, PDI: from(session.Access, 0x10), RemoveOuterHeader: true, FAR: 4, QERs: []uint32{1, 2}},
			{ID: 6, Precedence: 2, PDI: from(session.Core, 0x11), RemoveOuterHeader: true, FAR: 2, QERs: []uint32{2}},
			{ID: 7, Precedence: 3, PDI: from(session.Core, 0x11), RemoveOuterHeader: true, FAR: 2, QERs: []uint32{1, 3}},
		},
		FARs: []session.FAR{
			{ID: 1, Action: session.Forward, Destination: session.Core, Outer: into(0x20)},
			{ID: 2, Action: session.Forward, Destination: session.Access, Outer: into(0x21)},
			{ID: 3, Action: session.Forward, Destination: session.Core},
			{ID: 4, Action: session.Forward, Destination: session.Core, Outer: into(0x30)},
		},
		QERs: []session.QER{
			{ID: 1, QFI: 7, GateUL: true, GateDL: true}, {ID: 2, PPI: session.PPIOf(6), GateUL: true, GateDL: true},
			{ID: 3, PPI: session.PPIOf(0), GateUL: true, GateDL: true},
		},
		URRs: []session.URR{{ID: 1}},
	}
	r.PDRs[2].PDI.Filters, r.PDRs[4].PDI.Filters = to("198.51.100.2/32"), to("203.0.113.0/24")
	r.PDRs[3].PDI.Filters, r.PDRs[5].PDI.Filters, r.PDRs[6].PDI.Filters = to("203.0.113.0/24"), to("192.0.2.64/26"), to("192.0.2.128/26")
	return r
}
