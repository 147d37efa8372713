package n4

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// oneID is how a kind of rule is removed, created and updated, and what tells such rules apart: a parameter that each
// request for a rule gives it.
type oneID struct {
	kind                   session.Kind
	remove, create, update func(g *grammar, id byte, parameter uint64)
	// parameter of the rule, and whether the session has it.
	parameter func(r *session.Rules, id byte) (uint64, bool)
}

// removal is a grouped IE with an ID of so many octets.
func removal(group, id uint16, octets int) func(*grammar, byte, uint64) {
	return func(g *grammar, n byte, _ uint64) {
		g.group(group, func() { g.IE(id, append(make([]byte, octets-1), n)...) })
	}
}

func oneIDs() []oneID {
	pdr := func(group uint16) func(*grammar, byte, uint64) {
		return func(g *grammar, id byte, precedence uint64) {
			g.group(group, func() {
				g.id16(ie.PDRID, id)
				g.IE32(ie.Precedence, uint32(precedence))
				if group == ie.UpdatePDR {
					return
				}
				g.group(ie.PDI, func() {
					g.IE(ie.SourceInterface, 0)
					g.IE(ie.FTEID, append([]byte{1, 0, 0, 0x55, id}, n3.AsSlice()...)...)
				})
				g.IE(ie.OuterHeaderRemoval, 0)
				g.IE32(ie.FARID, 1)
			})
		}
	}
	far := func(group, parameters uint16) func(*grammar, byte, uint64) {
		return func(g *grammar, id byte, teid uint64) {
			g.group(group, func() {
				g.IE32(ie.FARID, uint32(id))
				g.IE(ie.ApplyAction, 2)
				g.group(parameters, func() {
					g.IE(ie.DestinationInterface, 0)
					g.IE(ie.OuterHeaderCreation, append(binary.BigEndian.AppendUint32([]byte{1, 0}, uint32(teid)), 192, 0, 2, 1)...)
				})
			})
		}
	}
	qer := func(group uint16) func(*grammar, byte, uint64) {
		return func(g *grammar, id byte, rate uint64) {
			g.group(group, func() {
				g.IE32(ie.QERID, uint32(id))
				g.IE(ie.GateStatus, 0)
				g.IE(ie.MBR, 0, 0, 0, 0, byte(rate), 0, 0, 0, 0, byte(rate))
			})
		}
	}
	urr := func(group uint16) func(*grammar, byte, uint64) {
		return func(g *grammar, id byte, quota uint64) {
			g.group(group, func() {
				g.IE32(ie.URRID, uint32(id))
				g.IE(ie.MeasurementMethod, request.MethodVOLUM)
				g.IE(ie.ReportingTriggers, 0, 1, 0)
				g.IE(ie.VolumeQuota, binary.BigEndian.AppendUint64([]byte{1}, quota)...)
			})
		}
	}
	bar := func(group uint16) func(*grammar, byte, uint64) {
		return func(g *grammar, id byte, packets uint64) {
			g.group(group, func() { g.IE(ie.BARID, id); g.IE(ie.SuggestedBufferingPacketsCount, byte(packets)) })
		}
	}
	return []oneID{
		{session.KindPDR, removal(ie.RemovePDR, ie.PDRID, 2), pdr(ie.CreatePDR), pdr(ie.UpdatePDR), func(r *session.Rules, id byte) (uint64, bool) {
			p := r.FindPDR(uint16(id))
			return uint64(*orZero(p, func() *uint32 { return &p.Precedence })), p != nil
		}},
		{session.KindFAR, removal(ie.RemoveFAR, ie.FARID, 4), far(ie.CreateFAR, ie.ForwardingParameters), far(ie.UpdateFAR, ie.UpdateForwardingParameters),
			func(r *session.Rules, id byte) (uint64, bool) {
				f := r.FindFAR(uint32(id))
				return uint64(*orZero(f, func() *uint32 { return &f.Outer.TEID })), f != nil
			}},
		{session.KindQER, removal(ie.RemoveQER, ie.QERID, 4), qer(ie.CreateQER), qer(ie.UpdateQER), func(r *session.Rules, id byte) (uint64, bool) {
			q := r.FindQER(uint32(id))
			return *orZero(q, func() *uint64 { v := q.MBRUL / 1000; return &v }), q != nil
		}},
		{session.KindURR, removal(ie.RemoveURR, ie.URRID, 4), urr(ie.CreateURR), urr(ie.UpdateURR), func(r *session.Rules, id byte) (uint64, bool) {
			u := r.FindURR(uint32(id))
			return *orZero(u, func() *uint64 { return &u.Asked.Quota.Total }), u != nil
		}},
		{session.KindBAR, removal(ie.RemoveBAR, ie.BARID, 1), bar(ie.CreateBAR), bar(ie.UpdateBARWithinSessionModificationRequest),
			func(r *session.Rules, id byte) (uint64, bool) {
				b := r.FindBAR(uint32(id))
				return uint64(*orZero(b, func() *int { return &b.Packets })), b != nil
			}},
	}
}

// orZero is what is read of a rule, of one that is not there a zero.
func orZero[R, V any](rule *R, read func() *V) *V {
	if rule == nil {
		return new(V)
	}
	return read()
}

// ruleID is of the rules of the test: PDRs 1 and 2 name those with it, and so does a FAR.
const ruleID = 7

// oneIDSession has a rule of each kind with the ID, where it is to be there, and PDRs 1 and 2 that name what they can.
func (b *bench) oneIDSession(k oneID, there bool) {
	b.t.Helper()
	b.play("setup")
	g := &grammar{c: &choices{}}
	g.Begin(pfcp.Header{Type: pfcp.SessionEstablishmentRequest, Sequence: 1})
	g.IE(ie.NodeID, 0, 127, 0, 0, 7)
	g.fseid(1)
	pdr := func(id byte, pdi func()) {
		g.group(ie.CreatePDR, func() {
			g.id16(ie.PDRID, id)
			g.IE32(ie.Precedence, 255)
			g.group(ie.PDI, pdi)
			g.names(k, there, session.KindFAR, ie.FARID, 1)
			g.names(k, there, session.KindQER, ie.QERID, 0)
			g.names(k, there, session.KindURR, ie.URRID, 0)
			if id == 1 {
				g.IE(ie.OuterHeaderRemoval, 0)
			}
		})
	}
	pdr(1, func() {
		g.IE(ie.SourceInterface, 0)
		g.IE(ie.FTEID, append([]byte{1, 0, 0, 0x55, 1}, n3.AsSlice()...)...)
	})
	pdr(2, func() { g.IE(ie.SourceInterface, 1); g.IE(ie.UEIPAddress, 2, 10, 45, 0, 2) })
	for _, one := range oneIDs() {
		if one.kind == session.KindFAR {
			one.create(g, 1, 1)
		}
		if one.kind == k.kind && there {
			one.create(g, ruleID, 9)
		}
	}
	if got := causeOf(b.t, b.raw(g.Bytes())); got != ie.CauseRequestAccepted {
		b.t.Fatalf("establishment: cause %d", got)
	}
}

// names writes a reference to the rule of the test, or to another one; 0 is none.
func (g *grammar) names(k oneID, there bool, kind session.Kind, typ uint16, other uint32) {
	switch {
	case there && k.kind == kind:
		g.IE32(typ, ruleID)
	case other != 0:
		g.IE32(typ, other)
	}
}

// TestOneIDInOneMessage: whatever a modification asks of one rule ID, in whatever order its IEs are, it is done as by
// messages that remove, create and update, one after the other, or not at all. PDRs go on naming what is created in the
// place of what is removed. The usage of a URR that goes is reported, and a new one counts from 0.
func TestOneIDInOneMessage(t *testing.T) {
	for _, k := range oneIDs() {
		steps := map[byte]func(*grammar, byte, uint64){'r': k.remove, 'c': k.create, 'u': k.update}
		for _, there := range []bool{true, false} {
			for _, asks := range []string{"c", "u", "rr", "rc", "ru", "cr", "cc", "cu", "ur", "uc", "uu", "rcu", "ucr", "cru", "rrc", "rcc"} {
				t.Run(fmt.Sprintf("%v %s there=%v", k.kind, asks, there), func(t *testing.T) {
					b := newBench(t, nil)
					b.oneIDSession(k, there)
					b.dp.Use(firstSEID, ruleID, session.Count{Packets: 2, Octets: 5}, session.Count{}, b.now)
					before, usage := b.rules(), slices.Clone(b.sessions.BySEID[firstSEID].Usage)
					g := &grammar{c: &choices{}}
					g.Begin(pfcp.Header{Type: pfcp.SessionModificationRequest, SEID: firstSEID, Sequence: 2})
					given := map[byte]uint64{}
					for i := range len(asks) {
						given[asks[i]] = uint64(20 + i) // the last of its kind counts
						steps[asks[i]](g, ruleID, given[asks[i]])
					}
					answer := b.raw(g.Bytes())
					want, ok := oneIDModel(asks, there, given)
					if accepted := causeOf(t, answer) == ie.CauseRequestAccepted; accepted != ok {
						t.Fatalf("accepted: %v, want %v", accepted, ok)
					}
					if !ok {
						if after := b.rules(); !reflect.DeepEqual(before, after) || !reflect.DeepEqual(usage, b.sessions.BySEID[firstSEID].Usage) {
							t.Errorf("a refused request changed\n%+v\nto\n%+v", before, after)
						}
						return
					}
					if got, has := k.parameter(b.rules(), ruleID); !has || got != want {
						t.Errorf("the rule's parameter is %d, there: %v; want %d", got, has, want)
					}
					b.wantOneID(k, there, strings.Contains(asks, "r"), answer)
				})
			}
		}
	}
}

// oneIDModel is what the parameter is in the end; not ok where nothing may change.
func oneIDModel(asks string, there bool, given map[byte]uint64) (parameter uint64, ok bool) {
	for _, step := range "rcu" {
		for range strings.Count(asks, string(step)) {
			if there != (step != 'c') {
				return 0, false
			}
			there, parameter = step != 'r', given[byte(step)]
		}
	}
	return parameter, there
}

// wantOneID checks who names the rule, and what its usage is.
func (b *bench) wantOneID(k oneID, there, removed bool, answer []byte) {
	b.t.Helper()
	for _, id := range []uint16{1, 2} {
		p := b.rules().FindPDR(id)
		for kind, names := range map[session.Kind][]uint32{session.KindFAR: {p.FAR}, session.KindQER: p.QERs, session.KindURR: p.URRs} {
			if there && k.kind == kind && !reflect.DeepEqual(names, []uint32{ruleID}) {
				b.t.Errorf("PDR %d names %v %v, want %d", id, kind, names, ruleID)
			}
		}
	}
	if k.kind != session.KindURR {
		return
	}
	reports, octets := 0, uint64(0)
	if removed {
		reports = 1
	} else if there {
		octets = 5
	}
	_, ies, _, err := pfcp.Parse(answer)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := pfcp.Decode(ies, func(list []*ie.IE) error {
		for _, i := range list {
			if i.Type == ie.UsageReportWithinSessionModificationResponse {
				reports--
			}
		}
		return nil
	}); err != nil {
		b.t.Fatal(err)
	}
	if reports != 0 {
		b.t.Errorf("%d usage reports are missing in the answer", reports)
	}
	if u, err := b.dp.Usage(firstSEID, b.rules().FindURR(ruleID).Key()); err != nil || u.Uplink.Octets != octets {
		b.t.Errorf("the URR counts %d octets, %v, want %d", u.Uplink.Octets, err, octets)
	}
	if got := b.rules().FindURR(ruleID); got.Limits.Quota.Total != octets+got.Asked.Quota.Total {
		b.t.Errorf("the quota ends at %d octets, want %d", got.Limits.Quota.Total, octets+got.Asked.Quota.Total)
	}
}
