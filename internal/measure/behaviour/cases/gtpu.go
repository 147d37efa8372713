package cases

import (
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	codec "github.com/upflab/upflab/internal/proto/gtpu"
)

// pause lets a UPF carry out what it answered.
const pause = 200 * time.Millisecond

func gtpu() []Case {
	carried := func(id, title, clause string, change func(*packet.Outer)) Case {
		return Case{ID: "gtpu." + id, Title: title, Clause: clause, Steps: steps(func(u *b.UE, g *fixture) []step {
			p := b.Up(u, "of that kind")
			change(&p.Outer)
			return []step{b.Establish(u, b.Plain(u, g)), b.Send(p, b.Up(u, "").Plainly())}
		})}
	}
	return []Case{
		{ID: "gtpu.echo", Title: "An Echo Request is answered, with its sequence number and from its port", Clause: "TS 29.281 4.4.2, 5.1, 7.2",
			Steps: func(*fixture) []step {
				return []step{b.Signal("an Echo Request", func(*b.T) []byte { return codec.AppendEchoRequest(nil, 0x4711) },
					codec.EchoResponse, "an Echo Response with its sequence number", func(a *inbox.Arrival) string {
						switch {
						case !a.Header.HasSequence:
							return "it has no sequence number"
						case a.Header.TEID != 0:
							return flow("the TEID in its header is %#x in place of 0", a.Header.TEID)
						case a.FromPort != codec.Port:
							return flow("it comes from UDP port %d, and the request went to %d", a.FromPort, codec.Port)
						}
						return unless(a.Header.Sequence == 0x4711, "its sequence number is %#x in place of 0x4711", a.Header.Sequence)
					})}
			}},
		{ID: "gtpu.echo.recovery", Title: "An Echo Response has the Recovery IE, with a Restart Counter of 0", Clause: "TS 29.281 7.2.2, 8.2",
			Steps: func(*fixture) []step {
				return []step{b.Answered("an Echo Request",
					func(*b.T) []byte { return codec.AppendEchoRequest(nil, 0x4712) }, codec.EchoResponse,
					func(a *inbox.Arrival) error {
						const recovery = 14
						if len(a.Header.Payload) < 2 || a.Header.Payload[0] != recovery {
							return fail.Missing("the Echo Response has the Recovery IE", flow("behind its header are the octets %x", a.Header.Payload))
						}
						if n := a.Header.Payload[1]; n != 0 {
							return fail.Missing("the Restart Counter is 0", flow("it is %d", n))
						}
						return nil
					})}
			}},
		{ID: "gtpu.error-indication",
			Title: "A G-PDU for no tunnel is answered with an Error Indication that names it", Clause: "TS 29.281 5.1, 7.3.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Signal("a G-PDU for no tunnel", func(*b.T) []byte {
					return codec.AppendGPDU(nil, 0x00abcdef, nil,
						packet.Inner{From: u.Addr, To: g.DN(0), Protocol: packet.UDP, TTL: 64,
							Length: 100}.Bytes(packet.Mark{}))
				}, codec.ErrorIndication, "an Error Indication with its TEID and the UPF's address", func(a *inbox.Arrival) string {
					teid, peer, err := codec.ParseErrorIndication(a.Header.Payload)
					switch {
					case err != nil:
						return err.Error()
					case teid != 0x00abcdef:
						return flow("its TEID Data I is %#x in place of 0xabcdef", teid)
					case a.Header.TEID != 0:
						return flow("the TEID in its header is %#x in place of 0", a.Header.TEID)
					case !a.Header.HasSequence:
						return "it has no sequence number, which the S flag announces"
					}
					return unless(peer == g.UPF, "its GTP-U Peer Address is %s in place of %s", peer, g.UPF)
				})}
			})},
		{ID: "gtpu.error-indication.known", Title: "Packets of a session lead to no Error Indication", Clause: "TS 29.281 7.3.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Times(20)), b.NoErrorIndication(u)}
			})},
		{ID: "gtpu.error-indication.reported", Title: "A gNB's Error Indication is reported to the SMF, with the tunnel that it names",
			Clause: "TS 29.244 5.2.2, 7.5.8.4; TS 23.007 21",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()),
					b.Tunnelled("an Error Indication for the downlink tunnel",
						func(*b.T) []byte { return codec.AppendErrorIndication(nil, u.Tunnel, u.GNB) }),
					b.ErrorReported(u)}
			})},
		carried("no-container", "A G-PDU without extension headers is forwarded", "TS 29.281 5.1",
			func(o *packet.Outer) { o.NoContainer = true }),
		carried("sequence", "A G-PDU with a sequence number is forwarded", "TS 29.281 5.1", func(o *packet.Outer) { o.Sequence = true }),
		carried("sequence.no-container", "A G-PDU with a sequence number and without extension headers is forwarded", "TS 29.281 5.1",
			func(o *packet.Outer) { o.Sequence, o.NoContainer = true, true }),
		carried("npdu", "A G-PDU with an N-PDU number is forwarded", "TS 29.281 5.1",
			func(o *packet.Outer) { o.NPDU, o.NoContainer = true, true }),
		carried("extension.unknown", "A G-PDU with an extension header that need not be understood is forwarded", "TS 29.281 5.2.1",
			func(o *packet.Outer) { o.Before = [][]byte{{0x3f, 1, 0, 0}} }),
		carried("extension.long", "A G-PDU with an extension header of 8 octets before the container is forwarded", "TS 29.281 5.2.1",
			func(o *packet.Outer) { o.Before = [][]byte{{0x3f, 2, 0, 0, 0, 0, 0, 0}} }),
		carried("source-port", "A G-PDU from another UDP port than 2152 is forwarded", "TS 29.281 4.4.2.0",
			func(o *packet.Outer) { o.FromPort = 40000 }),
		{ID: "gtpu.other-gnb", Title: "A G-PDU from another gNB is forwarded", Clause: "TS 23.501 5.8.2.3; TS 29.281 4.3.0",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				p := b.Up(u, "from the second gNB")
				p.Outer.From = g.GNB(1)
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(p, b.Up(u, "").Plainly())}
			})},
		{ID: "gtpu.short", Title: "A G-PDU whose length is beyond the datagram is dropped", Clause: "TS 29.281 11",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				p := b.Up(u, "whose GTP-U length is 40 octets too long").Lost()
				p.Outer.Short = 40
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(p, b.Up(u, "").Plainly())}
			})},
		{ID: "gtpu.end-marker.uplink", Title: "An End Marker from a gNB disturbs nothing", Clause: "TS 29.281 7.3.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)),
					b.Tunnelled("an End Marker", func(*b.T) []byte { return codec.AppendEndMarker(nil, u.TEID) }),
					b.Send(b.Up(u, "").Plainly(), b.Down(u, "").Plainly())}
			})},
		{ID: "gtpu.nested", Title: "GTP-U that a UE sends to the UPF through its tunnel is not taken for a gNB's",
			Clause: "TS 33.513 4.2.2; TS 29.281",
			Steps:  steps(func(u *b.UE, g *fixture) []step { return nested(u, g) })},
	}
}

// nested wraps a packet of UE 2 into GTP-U that UE 1 sends.
func nested(u *b.UE, g *fixture) []step {
	v := g.UE(1)
	p := b.Up(u, "that holds a G-PDU with UE 2's TEID").Lost()
	p.To, p.ToPort, p.FromPort = g.UPF, codec.Port, codec.Port
	p.Inside = &b.Inside{UE: v, Host: g.DN(0)}
	return []step{b.Establish(u, b.Plain(u, g)), b.Establish(v, b.Plain(v, g)), b.Send(p, b.Up(u, "").Plainly(), b.Up(v, "").Plainly())}
}
