package n4

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n4/hold"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

func duplicating(ies ...*ie.IE) request.Fields {
	f := request.Fields{ie.NewFARID(7), ie.NewApplyAction(request.ActionFORW | request.ActionDUPL),
		ie.NewForwardingParameters(ie.NewDestinationInterface(1))}
	if ies != nil {
		f = append(f, ie.NewDuplicatingParameters(ies...))
	}
	return f
}

// TestDuplicatingParameters: a FAR says where its copies go, and with which marking.
func TestDuplicatingParameters(t *testing.T) {
	outer := ie.New(ie.OuterHeaderCreation, []byte{1, 0, 0, 0, 0, 9, 192, 0, 2, 9})
	a, err := request.DecodeCreateFAR(duplicating(ie.NewDestinationInterface(request.DestinationLI), outer,
		ie.New(ie.TransportLevelMarking, []byte{0xbb, 0xfc})))
	want := session.Copy{OuterHeader: session.OuterHeader{TEID: 9, Peer: netip.MustParseAddr("192.0.2.9")}, Marking: 0xb8}
	if err != nil || len(a.Copies) != 1 || a.Copies[0] != want {
		t.Errorf("%+v, %v, want %+v", a.Copies, err, want)
	}
	for _, bad := range []request.Fields{
		duplicating(), duplicating(outer), duplicating(ie.NewDestinationInterface(1)), duplicating(ie.NewDestinationInterface(7), outer),
		duplicating(ie.NewDestinationInterface(1), outer, ie.New(ie.ForwardingPolicy, []byte{1, 'a'})),
		duplicating(ie.NewDestinationInterface(1), outer, ie.New(ie.TransportLevelMarking, []byte{1})),
	} {
		if a, err := request.DecodeCreateFAR(bad); err == nil {
			t.Errorf("%v is taken as %+v", bad, a)
		}
	}
}

// TestCPFunction: packets go to the SMF, and come from it, by tunnels alone (N4-U).
func TestCPFunction(t *testing.T) {
	pdi := func(more ...*ie.IE) request.Fields {
		return request.Fields{ie.NewPDRID(7), ie.NewPDI(append(more, ie.NewSourceInterface(request.InterfaceCPFunction))...)}
	}
	if _, err := request.DecodeUpdatePDR(pdi()); err == nil {
		t.Error("a PDI for the CP function without a tunnel is taken")
	}
	p, err := request.DecodeUpdatePDR(pdi(ie.New(ie.FTEID, []byte{5})))
	if err != nil || p.PDI.Source != session.Core {
		t.Errorf("%+v, %v, want it as from the core", p.PDI, err)
	}
	r := session.Rules{FARs: []session.FAR{{ID: 7, Action: session.Forward, Destination: session.CPFunction}}}
	if r.Validate(session.All) == nil {
		t.Error("a FAR to the CP function without a tunnel is taken: its packets would leave by N6")
	}
}

// TestCopies sends copies into each of their tunnels, and none when the FAR has changed.
func TestCopies(t *testing.T) {
	b, _, sent := newPaging(t)
	one := b.sessions.BySEID[firstSEID]
	rules := one.Rules.Rules()
	far := rules.FindFAR(rules.FindPDR(2).FAR)
	far.Action = session.Forward | session.Duplicate
	for teid := range uint32(2) {
		far.Copies = append(far.Copies, session.Copy{OuterHeader: session.OuterHeader{TEID: teid + 7, Peer: netip.MustParseAddr("192.0.2.9")}})
	}
	b.sessions.SetRules(one, rules)
	copied := datapath.Held{SEID: firstSEID, PDR: 2, Copy: true, TPDU: append(make([]byte, 20), 1)}
	copied.TPDU[8] = 64
	b.dp.Hold(copied)
	b.handed.Copy(<-b.held.Duplicates)
	want := []string{"1 by 0x7 to [192 0 2 9], TTL 64", "1 by 0x8 to [192 0 2 9], TTL 64"}
	if fmt.Sprint(*sent) != fmt.Sprint(want) {
		t.Errorf("sent %v, want %v", *sent, want)
	}
	far.Action = session.Forward
	b.sessions.SetRules(one, rules)
	b.handed.Copy(copied)
	if len(*sent) != len(want) {
		t.Errorf("sent %v after the FAR did not ask for copies any more", *sent)
	}
}

// TestMarkOfCopies: a copy has the marks that its packet has, whichever QERs they are from.
func TestMarkOfCopies(t *testing.T) {
	r := &session.Rules{QERs: []session.QER{{ID: 1, QFI: 9, RQI: true}, {ID: 2, PPI: session.PPIOf(5)}}}
	down := &session.PDR{QERs: []uint32{1, 2}, PDI: session.PDI{Source: session.Core}}
	if qfi, rqi, ppi := hold.MarkOf(r, down, datapath.Held{QFI: 3}); qfi != 9 || !rqi || ppi != session.PPIOf(5) {
		t.Errorf("QFI %d, RQI %v, PPI %d, want 9, true, that of the second QER", qfi, rqi, ppi)
	}
	up := &session.PDR{QERs: []uint32{1, 2}, PDI: session.PDI{Source: session.Access}}
	if qfi, rqi, ppi := hold.MarkOf(r, up, datapath.Held{QFI: 3}); qfi != 3 || rqi || ppi != 0 {
		t.Errorf("uplink: QFI %d, RQI %v, PPI %d, want the packet's own QFI alone", qfi, rqi, ppi)
	}
}

// TestHeldTunnel: downlink packets of another UPF are held, too, and keep their QFI.
func TestHeldTunnel(t *testing.T) {
	b, _, sent := newPaging(t)
	one := b.sessions.BySEID[firstSEID]
	rules := one.Rules.Rules()
	pdr := rules.FindPDR(2)
	pdr.PDI.TEID, pdr.PDI.HasTEID, pdr.RemoveOuterHeader = 0x77, true, true
	b.sessions.SetRules(one, rules)
	b.come(5)
	far := rules.FindFAR(pdr.FAR)
	far.Action, far.Outer = session.Forward, &session.OuterHeader{TEID: 2, Peer: netip.MustParseAddr("192.0.2.1")}
	b.held.Deliver(one.Holds(), rules)
	if want := "[5 by 0x2 to [192 0 2 1], TTL 64]"; fmt.Sprint(*sent) != want {
		t.Errorf("sent %v, want %v", *sent, want)
	}
}
