package cases

import (
	"encoding/binary"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// fault is one way in which a G-PDU is malformed. What is left of it would still be
// forwarded by a UPF that does not look.
type fault struct {
	id, name, clause string
	do               func(*packet.Outer)
}

// spoil changes the octets of the message.
func spoil(change func(m []byte) []byte) func(*packet.Outer) {
	return func(o *packet.Outer) { o.Break = change }
}

func faults() []fault {
	const (
		unknown  = 0xc5 // an extension header that nobody knows, and an endpoint has to
		reserved = 0xf0 // a message type that no version of the specification has
	)
	return []fault{
		{"version", "of GTP version 2", "TS 29.281 5.1", spoil(func(m []byte) []byte { m[0] = m[0]&0x1f | 2<<5; return m })},
		{"prime", "whose protocol type is GTP'", "TS 29.281 5.1", spoil(func(m []byte) []byte { m[0] &^= 1 << 4; return m })},
		{"message-type", "with a reserved message type", "TS 29.281 6.1", spoil(func(m []byte) []byte { m[1] = reserved; return m })},
		{"teid-zero", "with TEID 0", "TS 29.281 5.1", spoil(func(m []byte) []byte { binary.BigEndian.PutUint32(m[4:], 0); return m })},
		{"length-zero", "whose length is 0", "TS 29.281 5.1", func(o *packet.Outer) {
			o.NoContainer = true
			o.Break = func(m []byte) []byte { m[2], m[3] = 0, 0; return m }
		}},
		{"length-beyond", "whose length goes beyond the datagram", "TS 29.281 5.1", func(o *packet.Outer) { o.Short = 300 }},
		{"udp-length", "whose UDP length ends before it does", "RFC 768; TS 29.281 5.1", func(o *packet.Outer) { o.UDPShort = 60 }},
		{"extension-cut", "whose extension header goes beyond the message", "TS 29.281 5.2.1",
			func(o *packet.Outer) { o.Before = [][]byte{{0x3f, 255, 0, 0}} }},
		{"extension-empty", "with an extension header of length 0", "TS 29.281 5.2.1",
			func(o *packet.Outer) { o.Before = [][]byte{{0x3f, 0, 0, 0}} }},
		{"extension-required", "with an unknown extension header that has to be understood", "TS 29.281 5.2.1",
			func(o *packet.Outer) { o.Before = [][]byte{{unknown, 1, 0, 0}} }},
	}
}

// malformed are the cases of TS 33.513 clause 4.2.2.8: one for each fault on N3, and one
// with all of them on N9. What is random is that of `upflab run attack`.
func malformed() (list []Case) {
	const clause = "TS 33.513 4.2.2.8 (TC_IPUPS_MALFORMED_MESSAGES); "
	for _, f := range faults() {
		list = append(list, Case{ID: "scas.malformed." + f.id, Title: "A G-PDU " + f.name + " is discarded", Clause: clause + f.clause,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly()),
					b.Send(spoiled(b.Up(u, f.name), f), b.Up(u, "").Plainly()), b.Lives()}
			})})
	}
	return append(list, Case{ID: "scas.malformed.n9", Title: "Malformed G-PDUs of N9 are discarded",
		Clause: clause + "TS 29.281 5.1, 5.2.1", Need: need{Optional: true},
		Steps: steps(func(u *b.UE, g *fixture) []step {
			all := []step{b.Establish(u, homeRouted(u, g)), b.Send(fromHome(u, g, "", g.UE(1).TEID).Plainly())}
			for _, f := range faults() {
				all = append(all, b.Send(spoiled(fromHome(u, g, f.name, g.UE(1).TEID), f), fromHome(u, g, "that is sound", g.UE(1).TEID).Plainly()))
			}
			return append(all, b.Lives())
		})})
}

// spoiled is a packet with a fault, which must not arrive.
func spoiled(p b.Packet, f fault) b.Packet {
	f.do(&p.Outer)
	return p.Lost()
}
