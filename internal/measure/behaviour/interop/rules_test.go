package interop

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	b "github.com/upflab/upflab/internal/measure/behaviour"
)

// statesOf are the rules after each message of a dialect.
func statesOf(d *Dialect) []state {
	g := b.Sample()
	return (&player{d: d, g: g, u: g.UE(0)}).states()
}

func pdrs(list []route) (ids []uint64) {
	for _, p := range list {
		ids = append(ids, p.pdr)
	}
	return ids
}

// TestRoutesOfFlow: packets take the PDRs of the dedicated flow, which name no UE and, uplink, only the filter's ID, and those
// of the default flow.
func TestRoutesOfFlow(t *testing.T) {
	all := Dialects()
	d := all[slices.IndexFunc(all, func(d *Dialect) bool { return d.Name == "open5gs-flow" })]
	s := statesOf(d)[3]
	up, down := s.up, s.down
	if !slices.Equal(pdrs(up), []uint64{6, 2}) || !slices.Equal(pdrs(down), []uint64{5, 1}) {
		t.Fatalf("uplink PDRs %v, downlink PDRs %v", pdrs(up), pdrs(down))
	}
	for _, p := range []route{up[0], down[0]} {
		if p.packet.remote != 80 || p.packet.local != b.LocalPort || p.qfi != 2 {
			t.Errorf("%s: %+v", &p, p.packet)
		}
	}
	for _, p := range []route{up[1], down[1]} {
		if p.packet.remote != b.RemotePort || p.qfi != 1 {
			t.Errorf("%s: %+v", &p, p.packet)
		}
	}
}

// downlink is a session of PDRs for packets from the core: precedence, FAR, and what else their PDIs and they have.
func downlink(t *testing.T, rules string, list ...string) state {
	t.Helper()
	text := "name: a\n50 Session Establishment Request\n"
	for i, pdr := range list {
		precedence, rest, _ := strings.Cut(pdr, " ")
		pdi, own, _ := strings.Cut(rest, " / ")
		text += fmt.Sprintf("  1 Create PDR\n    56 PDR ID: %04x\n    29 Precedence: 000000%s\n    2 PDI\n      20 Source Interface: 01\n", i+1, precedence)
		for _, one := range strings.Split(pdi, "; ") {
			if one != "" {
				text += "      " + one + "\n"
			}
		}
		for _, one := range strings.Split(own, "; ") {
			if one != "" {
				text += "    " + one + "\n"
			}
		}
	}
	text += "  3 Create FAR\n    108 FAR ID: 00000001\n    44 Apply Action: 02\n  3 Create FAR\n    108 FAR ID: 00000002\n    44 Apply Action: 01\n" + rules
	d, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return statesOf(d)[0]
}

// TestRoutes: packets are sent only where the rules say what becomes of them.
func TestRoutes(t *testing.T) {
	const ue, one, two = "93 UE IP Address: 02 {ue}", "108 FAR ID: 00000001", "108 FAR ID: 00000002"
	flow := func(text string) string { return fmt.Sprintf(`23 SDF Filter: 0100 flow "permit out %s"`, text) }
	qer := func(ies string) string { return "  7 Create QER\n    109 QER ID: 00000001\n    " + ies + "\n" }
	urr := func(ies string) string { return "  6 Create URR\n    81 URR ID: 00000001\n    " + ies + "\n" }
	for _, c := range []struct {
		story, rules string
		list         []string
		want         []uint64 // 0: no PDR is of the direction, and packets are lost
	}{
		{"one PDR", "", []string{"20 " + ue + " / " + one}, []uint64{1}},
		{"the UE of another session", "", []string{"20 93 UE IP Address: 02 0a3c0007 / " + one}, []uint64{0}},
		{"nobody names the UE", "", []string{"20  / " + one}, nil},
		{"another PDR names the UE", "", []string{"30 " + ue + " / " + one, "20 " + flow("17 from any 80 to any") + " / " + two}, []uint64{2, 1}},
		{"the first has all packets", "", []string{"20 " + ue + " / " + one, "30 " + ue + " / " + two}, []uint64{1}},
		{"a tie", "", []string{"20 " + ue + " / " + one, "20 " + ue + " / " + two}, nil},
		{"a tie with the same effect", "", []string{"20 " + ue + " / " + one, "20 " + ue + " / " + one}, []uint64{1}},
		{"a tie in the packets of one", "", []string{"20 " + ue + " / " + one, "20 " + ue + "; " + flow("ip from any 80 to any") + " / " + two}, []uint64{1}},
		{"other protocols", "", []string{"20 " + ue + "; " + flow("58 from any to any") + " / " + one, "30 " + ue + " / " + two}, []uint64{2}},
		{"a literal host", "", []string{"20 " + ue + "; " + flow("ip from 10.1.2.3 to any") + " / " + one, "30 " + ue + " / " + two}, []uint64{2}},
		{"a literal UE", "", []string{"20 " + ue + "; " + flow("ip from any to 10.60.0.7") + " / " + one}, nil},
		{"a prefix around the host", "", []string{"20 " + ue + "; " + flow("ip from {dn}/16 to {ue}/32") + " / " + one}, []uint64{1}},
		{"a filter that is not read", "", []string{"20 " + ue + "; " + flow("ip from !any to any") + " / " + one, "30 " + ue + " / " + two}, nil},
		{"an application", "", []string{"20 " + ue + "; 24 Application ID: 41 / " + one, "30 " + ue + " / " + two}, nil},
		{"a traffic class", "", []string{"20 " + ue + "; 23 SDF Filter: 0200 b8fc / " + one}, nil},
		{"no FAR", "", []string{"20 " + ue + " / 108 FAR ID: 00000009"}, nil},
		{"a rate", qer("26 MBR: 00000000000000000001"), []string{"20 " + ue + " / " + one + "; 109 QER ID: 00000001"}, []uint64{1}},
		{"no rate", qer("26 MBR: 00000000010000000000"), []string{"20 " + ue + " / " + one + "; 109 QER ID: 00000001"}, nil},
		{"a quota", urr("73 Volume Quota: 010000000000002710"), []string{"20 " + ue + " / " + one + "; 81 URR ID: 00000001"}, nil},
		{"a quota of others", urr("73 Volume Quota: 010000000000002710"), []string{"20 " + ue + " / " + one}, []uint64{1}},
	} {
		if got := pdrs(downlink(t, c.rules, c.list...).down); !slices.Equal(got, c.want) {
			t.Errorf("%s: PDRs %v, want %v", c.story, got, c.want)
		}
	}
}

// sdfFilter writes an SDF Filter with a flow description by TS 29.244 clause 8.2.5.
func sdfFilter(text string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{1, 0}, uint16(len(text))), text...)
}

// TestRecordedFlows: addresses of a capture become those of the lab, unless what tells them apart would be lost.
func TestRecordedFlows(t *testing.T) {
	f := &forms{ue: netip.MustParseAddr("10.60.0.7")}
	for _, c := range [][2]string{
		{"permit out ip from any to assigned", "permit out ip from any to assigned"},
		{"permit out ip from 10.1.0.0/16 to 10.60.0.7", "permit out ip from {dn}/16 to {ue}"},
		{"permit out 17 from 10.1.2.3 80 to 10.60.0.7/32 5000-5001", "permit out 17 from {dn} 80 to {ue}/32 5000-5001"},
		{"permit out ip from 10.1.2.4/32 to 10.60.0.8", "permit out ip from 10.1.2.4/32 to 10.60.0.8"},
		{"permit out ip from 10.1.2.3/32 to 10.60.0.0/24", "permit out ip from {dn}/32 to {ue}/24"},
		{"permit out ip from 0.0.0.0/0 to any", "permit out ip from 0.0.0.0/0 to any"},
		{"permit out ip from 2001:db8::1 to any", "permit out ip from 2001:db8::1 to any"},
	} {
		if got, want := f.filter(sdfFilter(c[0])), `0100 flow "`+c[1]+`"`; got != want {
			t.Errorf("%s: %s", c[0], got)
		}
	}
}

// TestRecordRefusesSeconds: two addresses or tunnels of a session would become the same placeholder.
func TestRecordRefusesSeconds(t *testing.T) {
	for _, c := range []struct{ story, ies, says string }{
		{"one of each", "0001001f 0002001b 00150009 01 00001234 0a090302 005d0005 02 0a3c0007 00140001 00", ""},
		{"two UEs", "005d0005 02 0a3c0007 005d0005 06 0a3c0008", "a second UE IP Address"},
		{"two F-TEIDs", "00150009 01 00001234 0a090302 00150009 01 00001235 0a090302", "a second F-TEID"},
		{"the same twice", "00150009 01 00001234 0a090302 00150009 01 00001234 0a090302 005d0005 02 0a3c0007 005d0005 06 0a3c0007", ""},
	} {
		ies, err := hex.DecodeString(strings.ReplaceAll(c.ies, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		err = (&forms{}).find(ies)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want: %s", c.story, err, c.says)
		}
	}
}
