package xdp

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// contents is what a rule map of the kernel holds.
func (l *lab) contents(t testing.TB) map[key]any {
	t.Helper()
	all := map[key]any{}
	for i, w := range l.dp.rules.direct.up.Entries {
		if w != 0 {
			k := key4(session.Access, [4]byte(binary.BigEndian.AppendUint32(nil, uint32(w>>48<<16)|uint32(i)&0xffff)))
			all[k] = upfUlRule{Ue: uint32(w), Verdict: uint8(w >> 32), Qfi: uint8(w>>40) &^ ruleDirect}
		}
	}
	for _, s := range l.dp.rules.direct.spans {
		for i, w := range l.dp.rules.direct.down.Entries[s.At : s.At+s.Count] {
			if w != 0 {
				k := key4(session.Core, [4]byte(binary.BigEndian.AppendUint32(nil, s.First+uint32(i))))
				all[k] = upfDlRule{Teid: uint32(w), Verdict: uint8(w >> 32), Qfi: uint8(w>>40) &^ ruleDirect, Peer: uint16(w >> 48)}
			}
		}
	}
	var id [4]byte
	var ul upfUlRule
	for it := l.dp.objects.UplinkRules.Iterate(); it.Next(&id, &ul); {
		all[key4(session.Access, id)] = ul
	}
	var dl upfDlRule
	for it := l.dp.objects.DownlinkRules.Iterate(); it.Next(&id, &dl); {
		all[key4(session.Core, id)] = dl
	}
	var ul6 upfUlRule6
	for it := l.dp.objects.UplinkRules6.Iterate(); it.Next(&id, &ul6); {
		k := key4(session.Access, id)
		k.ipv6 = true
		all[k] = ul6
	}
	var prefix upfPrefix6
	for it := l.dp.objects.DownlinkRules6.Iterate(); it.Next(&prefix, &dl); {
		all[key{session.Core, true, uint8(prefix.Bits), octets6(prefix.Address)}] = dl
	}
	return all
}

func key4(source session.Interface, id [4]byte) (k key) {
	k.source = source
	copy(k.id[:], id[:])
	return k
}

// TestApplyRefuses has each bad batch refused with the rule named, and the
// kernel's maps unchanged.
func TestApplyRefuses(t *testing.T) {
	l := newLab(t, labConfig())
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	before := l.contents(t)
	good := pair(100, "10.45.1.1", 101, nil)
	for _, c := range refusals() {
		err := l.dp.Apply([]datapath.Change{{New: good}, c.change})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		var rule *session.RuleError
		if got := errors.As(err, &rule); got != c.rule {
			t.Errorf("%s: %v: a RuleError: %v, want %v", c.name, err, got, c.rule)
		}
		if after := l.contents(t); !reflect.DeepEqual(before, after) {
			t.Fatalf("%s: the maps changed", c.name)
		}
	}
	must(t, "Apply of the good one", l.dp.Apply([]datapath.Change{{New: good}}))
}

type refusal struct {
	name   string
	change datapath.Change
	want   string
	rule   bool
}

func refusals() []refusal {
	created := func(change func(*session.Rules)) datapath.Change {
		return datapath.Change{New: pair(101, "10.45.1.2", 103, change)}
	}
	return []refusal{
		{"TEID taken", datapath.Change{New: pair(101, "10.45.1.2", 1, nil)},
			"PDR 1: TEID 0x1 is that of PDR 1 of session 0x1", true},
		{"UE address taken", datapath.Change{New: pair(101, "10.45.0.3", 103, nil)},
			"PDR 2: UE address 10.45.0.3 is that of PDR 2 of session 0x2", true},
		{"TEID taken in the batch", datapath.Change{New: pair(101, "10.45.1.2", 101, nil)}, "of session 0x64", true},
		{"TEID 0", datapath.Change{New: pair(101, "10.45.1.2", 0, nil)}, "TEID 0 is for signalling", true},
		{"IPv6 UE", datapath.Change{New: pair(101, "2001:db8::1", 103, nil)}, "not IPv4", true},
		{"IPv6 peer", created(withPeer("2001:db8::1")), "is an IPv6 address", true},
		{"uplink buffering", created(func(r *session.Rules) { r.FARs[0].Action = session.Buffer }), "PDR 1", true},
		{"QFI from core", created(func(r *session.Rules) { r.PDRs[1].PDI.QFIs = session.QFIs(5) }), "PDR 2", true},
		{"FAR missing", created(func(r *session.Rules) { r.PDRs[1].FAR = 9 }), "FAR 9", true},
		{"session there", datapath.Change{New: pair(1, "10.45.1.2", 103, nil)}, "already in the datapath", false},
		{"session not there", datapath.Change{Old: pair(55, "10.45.1.2", 103, nil)}, "not in the datapath", false},
		{"nothing", datapath.Change{}, "neither old nor new", false},
	}
}

// TestApplyChanges follows sessions through replacement, an exchange of TEIDs
// within one batch, and removal.
func TestApplyChanges(t *testing.T) {
	l := newLab(t, labConfig())
	a, b := pair(1, "10.45.0.2", 1, nil), pair(2, "10.45.0.3", 3, nil)
	must(t, "create", l.dp.Apply(additions([]*session.Rules{a, b})))
	a2, b2 := pair(1, "10.45.0.2", 3, nil), pair(2, "10.45.0.3", 1, nil)
	must(t, "exchange", l.dp.Apply([]datapath.Change{{Old: a, New: a2}, {Old: b, New: b2}}))
	ul := l.contents(t)[key4(session.Access, [4]byte{0, 0, 0, 3})].(upfUlRule)
	if want := wire(netip.MustParseAddr("10.45.0.2")); ul.Ue != want {
		t.Errorf("TEID 3 has UE %#x, want %#x", ul.Ue, want)
	}
	a3 := pair(1, "10.45.0.2", 5, dropAll)
	must(t, "replace", l.dp.Apply([]datapath.Change{{Old: a2, New: a3}}))
	if n := len(l.contents(t)); n != 4 {
		t.Errorf("%d entries after the replacement, want 4", n)
	}
	must(t, "remove", l.dp.Apply([]datapath.Change{{Old: a3}, {Old: b2}}))
	if n := len(l.contents(t)); n != 0 {
		t.Errorf("%d entries after the removal, want 0", n)
	}
}

// TestApplyUndoes breaks the second of the maps in mid-batch: the first must be
// as it was.
func TestApplyUndoes(t *testing.T) {
	l := newLab(t, labConfig())
	a := pair(1, "10.45.0.2", 1, nil)
	must(t, "create", l.dp.Apply(additions([]*session.Rules{a})))
	before := l.contents(t)
	intact, err := l.dp.objects.DownlinkRules.Clone()
	must(t, "clone the map", err)
	must(t, "break the map", l.dp.objects.DownlinkRules.Close())
	err = l.dp.Apply([]datapath.Change{{Old: a, New: pair(1, "192.0.2.9", 7, nil)}})
	if err == nil {
		t.Error("Apply on a broken map: no error")
	}
	l.dp.objects.DownlinkRules = intact
	if after := l.contents(t); !reflect.DeepEqual(before, after) {
		t.Errorf("after the undo:\n got %v\nwant %v", after, before)
	}
	must(t, "Apply when mended", l.dp.Apply([]datapath.Change{{Old: a, New: pair(1, "192.0.2.9", 7, nil)}}))
}

// TestApplyFull fills the tables.
func TestApplyFull(t *testing.T) {
	cfg := labConfig()
	cfg.MaxSessions = 2
	l := newLab(t, cfg)
	all := []*session.Rules{pair(1, "10.45.0.2", 1, nil), pair(2, "10.45.0.3", 3, nil)}
	must(t, "fill", l.dp.Apply(additions(all)))
	third := pair(3, "10.45.0.4", 5, nil)
	if err := l.dp.Apply([]datapath.Change{{New: third}}); !errors.Is(err, datapath.ErrFull) {
		t.Errorf("one too many: %v, want ErrFull", err)
	}
	must(t, "one in one out", l.dp.Apply([]datapath.Change{{New: third}, {Old: all[0]}}))
}

// octets6 is an address as it is in a packet.
func octets6(a upfAddr6) (b [16]byte) {
	binary.NativeEndian.PutUint64(b[:], a.Word[0])
	binary.NativeEndian.PutUint64(b[8:], a.Word[1])
	return b
}
