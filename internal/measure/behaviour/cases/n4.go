package cases

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

func node() []Case {
	return []Case{
		{ID: "n4.heartbeat", Title: "A heartbeat is answered with the UPF's Recovery Time Stamp", Clause: "TS 29.244 6.2.2, 7.4.2.2",
			Steps: func(*fixture) []step {
				return []step{b.Ask("a heartbeat", func(t *b.T) []byte { return t.Peer().Heartbeat() }, func(_ *b.T, a *n4.Answer) error {
					if a.Recovery.IsZero() {
						return fail.Missing("the answer has a Recovery Time Stamp", "it has none")
					}
					return nil
				})}
			}},
		{ID: "n4.answer.port", Title: "Answers come from the address and the UDP port that the request went to",
			Clause: "TS 29.244 4.2.2.3, 4.2.3.3",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				beat := b.Ask("a heartbeat", func(t *b.T) []byte { return t.Peer().Heartbeat() }, b.FromN4)
				return append([]step{beat}, asked(u, g, b.FromN4, b.FromN4)...)
			})},
		{ID: "n4.recovery.same", Title: "The UPF's Recovery Time Stamp is the same in each message", Clause: "TS 29.244 6.2.2; TS 23.007 19A",
			Upsets: true, Steps: func(*fixture) []step { return recoveryIsSame() }},
		{ID: "n4.recovery.newer", Title: "Sessions of an SMF that restarted are gone", Clause: "TS 23.007 19A; TS 29.244 6.2.2",
			Upsets: true, Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly()),
					b.Ask("a heartbeat with a newer Recovery Time Stamp",
						func(t *b.T) []byte { t.Peer().Restart(); return t.Peer().Heartbeat() }, anything),
					b.Wait(pause), b.Send(b.Up(u, "of a session of the SMF before it restarted").Lost(),
						b.Down(u, "of a session of the SMF before it restarted").Lost())}
			})},
		{ID: "n4.report.seid", Title: "A session report has the SEID that the SMF gave the session", Clause: "TS 29.244 7.2.2.4.2, 7.5.8.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := measured(u, g, rules.URR{Method: rules.ByVolume, Triggers: rules.VolumeThreshold,
					Threshold: &rules.Volume{Total: rules.Octets(1000)}})
				return []step{b.Establish(u, s), b.Send(b.Up(u, "").Times(10)), b.ReportToSEID(u)}
			})},
		{ID: "n4.report.form",
			Title:  "Reports have the IEs that they must have: Report Type, URR ID, UR-SEQN, the Usage Report of their message",
			Clause: "TS 29.244 6.4, 7.5.5.2, 7.5.7.2, 7.5.8.1 to 7.5.8.3",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := measured(u, g, rules.URR{Method: rules.ByVolume, Triggers: rules.VolumeThreshold,
					Threshold: &rules.Volume{Total: rules.Octets(1000)}})
				return []step{b.Establish(u, s), b.Send(b.Up(u, "").Times(10)), b.Wait(pause), b.Send(b.Up(u, "").Times(10)), b.Wait(pause),
					b.Modify(u, "query URR 1", rules.Change{Query: []uint32{1}}), b.Delete(u), b.Formed(u)}
			})},
		{ID: "n4.association.again", Title: "A new association ends the sessions of the one before", Clause: "TS 29.244 6.2.6.2.2",
			Upsets: true, Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly()),
					b.Ask("an Association Setup Request", func(t *b.T) []byte { return t.Peer().Setup() }, b.Accept("a second association setup")),
					b.Wait(pause), b.Send(b.Up(u, "of a session of the association before").Lost())}
			})},
		{ID: "n4.association.release", Title: "The release of an association ends its sessions", Clause: "TS 29.244 6.2.8",
			Upsets: true, Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly()),
					b.Ask("an Association Release Request", func(t *b.T) []byte { return t.Peer().Release() }, b.Accept("the release of the association")),
					b.Wait(pause), b.Send(b.Up(u, "of a session of the association before").Lost())}
			})},
		{ID: "n4.association.none", Title: "A session of a node without an association is refused with cause 72",
			Clause: "TS 29.244 6.2.6, 8.2.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := b.Plain(u, g)
				return []step{b.Ask("establish a session from node "+nobody(g).String(), func(t *b.T) []byte {
					return t.Peer().Establish(t.Writer(), nobody(g), t.Peer().NextSEID(), &s)
				}, func(t *b.T, a *n4.Answer) error {
					if a.Accepted() {
						t.Adopt(u, 0, a.SEID)
					}
					return b.Refuse("a session of a node without an association", 72)(t, a)
				})}
			})},
		{ID: "n4.version", Title: "A message of version 2 is answered with Version Not Supported", Clause: "TS 29.244 7.2.3, 7.4.4.7",
			Steps: func(*fixture) []step {
				return []step{b.Ask("a heartbeat of version 2", func(t *b.T) []byte {
					m := t.Peer().Heartbeat()
					m[0] = 2 << 5
					return m
				}, func(_ *b.T, a *n4.Answer) error {
					if a.Type != pfcp.VersionNotSupported {
						return fail.Wrong("Version Not Supported comes", "a "+a.Type.String()+" came")
					}
					return nil
				})}
			}},
		{ID: "n4.missing-ie", Title: "A session without a CP F-SEID is refused", Clause: "TS 29.244 7.6.6, 7.5.2.1",
			Steps: steps(func(u *b.UE, g *fixture) []step { return []step{withoutFSEID(u, g)} })},
		{ID: "n4.unknown-ie", Title: "An unknown IE is ignored", Clause: "TS 29.244 7.6.4",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{withUnknownIE(u, g), b.Send(b.Up(u, ""), b.Down(u, ""))}
			})},
		{ID: "n4.short-ie", Title: "A message that is cut within an IE does no harm", Clause: "TS 29.244 7.6.5",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)),
					b.Tell("establishments that are cut short at each octet",
						func(t *b.T) [][]byte { return cut(t, g) }), b.Lives(),
					b.Send(b.Up(u, "").Plainly(), b.Down(u, "").Plainly())}
			})},
		{ID: "n4.garbage", Title: "Octets without sense do no harm", Clause: "TS 29.244 7.6; TS 33.117 4.4.4",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)),
					b.Tell("200 datagrams of random octets", func(*b.T) [][]byte { return garbage(200) }), b.Lives(),
					b.Send(b.Up(u, "").Plainly(), b.Down(u, "").Plainly())}
			})},
		{ID: "n4.pfd", Title: "PFD management is answered", Clause: "TS 29.244 6.2.5", Need: need{Feature: smf.PFDM},
			Steps: func(*fixture) []step {
				return []step{b.Ask("a PFD Management Request", func(t *b.T) []byte {
					var w pfcp.Builder
					t.Peer().Begin(&w, pfcp.PFDManagementRequest, 0)
					return w.Bytes()
				}, b.Accept("a PFD Management Request that removes all PFDs"))}
			}},
	}
}

// nobody is an address that no SMF has.
func nobody(g *fixture) netip.Addr {
	a := netip.MustParseAddr("192.0.2.99")
	if a == g.SMF {
		a = a.Next()
	}
	return a
}

func anything(*b.T, *n4.Answer) error { return nil }

// recoveryIsSame asks for the time stamp twice, and in an association setup.
func recoveryIsSame() []step {
	var first n4.Answer
	same := func(_ *b.T, a *n4.Answer) error {
		switch {
		case first.Recovery.IsZero():
			first = *a
		case !a.Recovery.Equal(first.Recovery):
			return fail.Wrong("the Recovery Time Stamp is "+first.Recovery.String(), "it is "+a.Recovery.String()+" in the "+a.Type.String())
		}
		return nil
	}
	beat := func(t *b.T) []byte { return t.Peer().Heartbeat() }
	return []step{b.Ask("a heartbeat", beat, same), b.Wait(1100 * time.Millisecond), b.Ask("a heartbeat", beat, same),
		b.Ask("an Association Setup Request", func(t *b.T) []byte { return t.Peer().Setup() }, same)}
}

func withoutFSEID(u *b.UE, g *fixture) step {
	s := b.Plain(u, g)
	return b.Ask("establish a session without a CP F-SEID", func(t *b.T) []byte {
		w := t.Writer()
		t.Peer().Begin(&w.Builder, pfcp.SessionEstablishmentRequest, 0)
		smf.WriteNodeID(&w.Builder, t.Peer().Node)
		w.Session(&s)
		return append([]byte(nil), w.Bytes()...)
	}, func(t *b.T, a *n4.Answer) error {
		if a.Accepted() {
			t.Adopt(u, 0, a.SEID)
		}
		return b.Refuse("a session without a CP F-SEID", 66, 67)(t, a)
	})
}

func withUnknownIE(u *b.UE, g *fixture) step {
	const unknown = 32000 // below the vendors' range
	s := b.Plain(u, g)
	return b.Ask("establish a session with an unknown IE", func(t *b.T) []byte {
		w := t.Writer()
		t.Peer().Begin(&w.Builder, pfcp.SessionEstablishmentRequest, 0)
		smf.WriteNodeID(&w.Builder, t.Peer().Node)
		smf.WriteFSEID(&w.Builder, t.Peer().NextSEID(), t.Peer().Node)
		w.IE(unknown, 1, 2, 3)
		w.Session(&s)
		w.IE(unknown+1, 4)
		return append([]byte(nil), w.Bytes()...)
	}, func(t *b.T, a *n4.Answer) error {
		t.Adopt(u, 0, a.SEID)
		return b.Accept("a session with an unknown IE")(t, a)
	})
}

// cut are establishments that end early: some in the header's length, some not.
func cut(t *b.T, g *fixture) (list [][]byte) {
	u := g.UE(1)
	s := b.Plain(u, g)
	whole := t.Peer().Establish(t.Writer(), t.Peer().Node, t.Peer().NextSEID(), &s)
	for n := 4; n < len(whole); n += 3 {
		m := append([]byte(nil), whole[:n]...)
		binary.BigEndian.PutUint16(m[2:], uint16(n-4))
		if n >= 15 { // a sequence number of its own
			binary.BigEndian.PutUint32(m[12:], t.Peer().NextSequence()<<8)
		}
		list = append(list, m)
	}
	return list
}

// garbage are datagrams of octets that are the same in each run.
func garbage(n int) (list [][]byte) {
	state := uint32(1)
	for i := range n {
		m := make([]byte, 1+(i*7)%200)
		for j := range m {
			state = state*1664525 + 1013904223
			m[j] = byte(state >> 24)
		}
		if i%2 == 0 && len(m) > 4 { // with a header that looks right
			m[0], m[1] = 0x21, byte(50+2*(i%3))
			binary.BigEndian.PutUint16(m[2:], uint16(len(m)-4))
		}
		list = append(list, m)
	}
	return list
}
