package cases

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/measure/behaviour/usage"
)

func modification() []Case {
	return []Case{
		{ID: "session.modify.create", Title: "A PDR and a FAR that are created later take packets", Clause: "TS 29.244 7.5.4.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := twoTunnels(u, g, 100, 300)
				c := rules.Change{Create: rules.Session{PDRs: s.PDRs[2:], FARs: s.FARs[2:]}}
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()),
					b.Modify(u, "create PDR 3 and FAR 3", c), b.Send(into(u, g)...)}
			})},
		{ID: "session.modify.update-pdr", Title: "A PDR whose filter is updated takes by the new one", Clause: "TS 29.244 7.5.4.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) {
					s.PDRs[1].Filters = []rules.Filter{{Flow: flow("permit out ip from %s to assigned", g.DN(0))}}
				})
				p := s.PDRs[1]
				p.Filters = []rules.Filter{{Flow: flow("permit out ip from %s to assigned", g.DN(1))}}
				return []step{b.Establish(u, s), b.Send(b.Down(u, "").Plainly()),
					b.Modify(u, "another filter of PDR 2", rules.Change{Update: rules.Session{PDRs: []rules.PDR{p}}}),
					b.Send(b.Down(u, "from the host of the old filter").Lost(), b.Down(u, "from the host of the new filter").Host(g.DN(1)))}
			})},
		{ID: "session.modify.remove-pdr", Title: "A PDR that is removed takes no packets any more", Clause: "TS 29.244 7.5.4.6",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Down(u, "").Plainly()),
					b.Modify(u, "remove PDR 2", rules.Change{Remove: rules.Removed{PDRs: []uint16{2}}}),
					b.Send(b.Down(u, "").Lost(), b.Up(u, ""))}
			})},
		{ID: "session.modify.remove-pdr.uplink", Title: "An uplink PDR that is removed takes no packets any more", Clause: "TS 29.244 7.5.4.6",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly()),
					b.Modify(u, "remove PDR 1", rules.Change{Remove: rules.Removed{PDRs: []uint16{1}}}),
					b.Send(b.Up(u, "").Lost(), b.Down(u, ""))}
			})},
		{ID: "session.modify.remove-filtered", Title: "When a filtered PDR is removed the next one takes its packets",
			Clause: "TS 29.244 7.5.4.6, 5.2.1A",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				c := rules.Change{Remove: rules.Removed{PDRs: []uint16{3}, FARs: []uint32{3}}}
				return []step{b.Establish(u, twoTunnels(u, g, 100, 300)), b.Send(into(u, g)...), b.Modify(u, "remove PDR 3 and FAR 3", c),
					b.Send(b.Down(u, "from the host of the removed filter").Host(g.DN(1)))}
			})},
		{ID: "session.modify.remove-qer", Title: "A QER that is removed closes no gate any more", Clause: "TS 29.244 7.5.4.9",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) {
					s.QERs = append(s.QERs, rules.QER{ID: 2, CloseUp: true, CloseDown: true})
					s.PDRs[0].QERs, s.PDRs[1].QERs = []uint32{1, 2}, []uint32{1, 2}
				})
				c := rules.Change{Remove: rules.Removed{QERs: []uint32{2}}, Update: rules.Session{PDRs: b.Plain(u, g).PDRs}}
				return []step{b.Establish(u, s), b.Modify(u, "remove QER 2", c),
					b.Send(b.Up(u, "after the QER was removed"), b.Down(u, "after the QER was removed"))}
			})},
		{ID: "session.modify.create-qer", Title: "A QER that is created later closes its gate", Clause: "TS 29.244 7.5.4.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				c := rules.Change{Create: rules.Session{QERs: []rules.QER{{ID: 2, CloseUp: true}}}, Update: rules.Session{PDRs: b.Plain(u, g).PDRs}}
				for i := range c.Update.PDRs {
					c.Update.PDRs[i].QERs = []uint32{1, 2}
				}
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly()), b.Modify(u, "create QER 2, and name it in both PDRs", c),
					b.Send(b.Up(u, "through the gate of QER 2").Lost(), b.Down(u, "after QER 2 was created"))}
			})},
		{ID: "session.modify.create-urr", Title: "A URR that is created later counts from then on", Clause: "TS 29.244 7.5.4.1, 5.2.2.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := measured(u, g, plainly())
				c := rules.Change{Create: rules.Session{URRs: s.URRs}, Update: rules.Session{PDRs: s.PDRs}}
				before := b.Up(u, "before there is a URR").Times(20).Plainly()
				before.Uncounted = true
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(before), b.Modify(u, "create URR 1, and name it in both PDRs", c),
					b.Send(b.Up(u, "").Times(10), b.Down(u, "").Times(5)), b.Delete(u), usage.Counted(u, 1)}
			})},
		{ID: "session.modify.update-urr", Title: "An updated volume threshold counts", Clause: "TS 29.244 7.5.4.4, 8.2.13",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				r := rules.URR{ID: 1, Method: rules.ByVolume, Triggers: rules.VolumeThreshold, Threshold: &rules.Volume{Total: rules.Octets(1_000_000)}}
				now := r
				now.Threshold = &rules.Volume{Total: rules.Octets(5_500)}
				return []step{b.Establish(u, measured(u, g, r)),
					b.Modify(u, "a threshold of 5500 octets",
						rules.Change{Update: rules.Session{URRs: []rules.URR{now}}}),
					usage.ReportedAt(u, 1, 5_500, b.Up(u, "").Sized(1000)), b.Delete(u), usage.Counted(u, 1)}
			})},
		{ID: "session.modify.teid", Title: "A session's uplink TEID can be changed; the old one is void", Clause: "TS 29.244 7.5.4.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				p := b.Plain(u, g).PDRs[0]
				p.TEID += 0x100000
				old, new := b.Up(u, "with the old TEID").Lost(), b.Up(u, "with the new TEID")
				new.Outer.TEID = p.TEID
				return []step{b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, "").Plainly()),
					b.Modify(u, "another TEID of PDR 1", rules.Change{Update: rules.Session{PDRs: []rules.PDR{p}}}),
					b.Send(old, new)}
			})},
		{ID: "session.modify.unknown-far", Title: "The update of a FAR that is not there is refused", Clause: "TS 29.244 7.5.4.3, 8.2.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				c := rules.Change{Update: rules.Session{FARs: []rules.FAR{{ID: 77, Action: rules.Drop, ActionOnly: true}}}}
				return []step{b.Establish(u, b.Plain(u, g)),
					b.ModifyRefused(u, "update of FAR 77, which is not there", c),
					b.Send(b.Up(u, "").Plainly(), b.Down(u, "").Plainly())}
			})},
		{ID: "session.modify.unknown-pdr", Title: "The removal of a PDR that is not there is refused",
			Clause: "TS 29.244 7.5.4.6, 8.2.1", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)),
					b.ModifyRefused(u, "removal of PDR 77, which is not there",
						rules.Change{Remove: rules.Removed{PDRs: []uint16{77}}}), b.Send(b.Up(u, "").Plainly())}
			})},
		{ID: "session.atomic.modify", Title: "Of a refused modification nothing is carried out", Clause: "TS 29.244 6.3.3.3, 7.5.5.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				c := rules.Change{Update: rules.Session{FARs: []rules.FAR{{ID: 2, Action: rules.Drop,
					ActionOnly: true}, {ID: 77, Action: rules.Drop, ActionOnly: true}}}}
				return []step{b.Establish(u, b.Plain(u, g)),
					b.ModifyRefused(u, "FAR 2 to DROP, and FAR 77, which is not there", c),
					b.Send(b.Down(u, "after the refusal"), b.Up(u, "after the refusal"))}
			})},
		{ID: "session.atomic.establish",
			Title: "A refused session leaves nothing: the same one can be established right", Clause: "TS 29.244 6.3.2.3",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				bad := with(g, func(s *rules.Session) { s.PDRs[1].FAR = 77 })
				return []step{b.EstablishRefused(u, "whose PDR 2 names a FAR that is not there", bad), b.Send(b.Up(u, "of the refused session").Lost()),
					b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, ""), b.Down(u, ""))}
			})},
	}
}

func sessions() []Case {
	return []Case{
		{ID: "session.delete", Title: "A deleted session forwards nothing", Clause: "TS 29.244 6.3.4",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				v := g.UE(1)
				return []step{b.Establish(u, b.Plain(u, g)), b.Establish(v, b.Plain(v, g)),
					b.Send(b.Up(u, "").Plainly(), b.Down(u, "").Plainly()), b.Delete(u),
					b.Send(b.Up(u, "of the deleted session").Lost(), b.Down(u, "of the deleted session").Lost(), b.Up(v, ""), b.Down(v, ""))}
			})},
		{ID: "session.delete.again", Title: "A deleted session's addresses and TEIDs can be used again", Clause: "TS 29.244 6.3.4",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Delete(u), b.Establish(u, b.Plain(u, g)), b.Send(b.Up(u, ""), b.Down(u, ""))}
			})},
		{ID: "session.many", Title: "Each of 1000 sessions has its own traffic, in its own tunnel", Clause: "TS 29.244 5.2.1A",
			Steps: func(g *fixture) []step { return []step{b.Crowd(g, 1000)} }},
		{ID: "session.bystander", Title: "A session loses nothing while others come and go", Clause: "TS 29.244 6.3",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), b.Churn(g, b.Down(u, "").Times(700), b.Up(u, "").Times(700))}
			})},
		{ID: "session.modify.bystander", Title: "Sessions lose nothing while another one is modified", Clause: "TS 29.244 6.3.3",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				list := []step{b.Establish(u, b.Plain(u, g))}
				var packets []b.Packet
				for n := range 4 {
					v := g.UE(1 + n)
					list = append(list, b.Establish(v, b.Plain(v, g)))
					for range 40 { // in turn
						packets = append(packets, b.Down(v, "").Times(2), b.Up(v, "").Times(2))
					}
				}
				shuffled(packets)
				return append(list, b.Changing(u, []rules.Change{pathSwitch(u, g, false), action(rules.Drop), action(rules.Forward),
					{Update: rules.Session{QERs: []rules.QER{{ID: 1, QFI: 33}}}}, resume(u, g)}, packets...))
			})},
		{ID: "session.answer.seid", Title: "Answers go to the SEID that the SMF gave the session", Clause: "TS 29.244 7.2.2.4.2",
			Steps: steps(func(u *b.UE, g *fixture) []step { return answered(u, g) })},
		{ID: "session.answer.node",
			Title:  "The answer to an establishment has the UPF's Node ID, and an address in the UP F-SEID that it can have",
			Clause: "TS 29.244 7.5.3.1, 8.2.37, 8.2.38",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return asked(u, g, func(t *b.T, a *n4.Answer) error { return b.OfNode(t, a) }, nil)
			})},
		{ID: "session.first", Title: "The first packet of a session is not lost", Clause: "TS 29.244 5.2.1, 6.3.2; TS 23.501 5.8.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				v := g.UE(1)
				return []step{b.Establish(u, b.Plain(u, g)), b.Establish(v, b.Plain(v, g)),
					b.First(b.Down(u, "")), b.First(b.Up(v, "")), b.First(b.Up(u, "")), b.First(b.Down(v, ""))}
			})},
		{ID: "session.idle", Title: "The first packet after 2.5 s without traffic is not lost",
			Clause: "TS 29.244 5.2.1; TS 23.501 5.8.2", Lasts: 4 * time.Second,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				v := g.UE(1)
				return []step{b.Establish(u, b.Plain(u, g)), b.Establish(v, b.Plain(v, g)),
					b.Send(b.Up(u, "").Plainly(), b.Down(u, "").Plainly(), b.Up(v, "").Plainly(),
						b.Down(v, "").Plainly()),
					b.Wait(2500 * time.Millisecond), b.Send(b.Up(u, "after 2.5 s"), b.Down(v, "after 2.5 s"), b.Down(u, ""), b.Up(v, ""))}
			})},
		{ID: "session.unknown.modify", Title: "A modification of an unknown session is refused with cause 65",
			Clause: "TS 29.244 7.2.2.4.2, 8.2.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Ask("a modification of SEID 0xdeadbeef", func(t *b.T) []byte {
					c := action(rules.Drop)
					return t.Peer().Modify(t.Writer(), 0xdeadbeef, &c)
				}, refusedToNobody("a modification of an unknown session"))}
			})},
		{ID: "session.unknown.delete", Title: "A deletion of an unknown session is refused with cause 65", Clause: "TS 29.244 7.2.2.4.2, 8.2.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Ask("a deletion of SEID 0xdeadbeef", func(t *b.T) []byte { return t.Peer().Delete(0xdeadbeef) },
					refusedToNobody("a deletion of an unknown session"))}
			})},
		{ID: "session.ethernet", Title: "A UE's Ethernet frame leaves on N6",
			Clause: "TS 23.501 5.6.10.2; TS 29.244 8.2.79", Need: need{Optional: true},
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) {
					s.PDN = rules.Ethernet
					s.PDRs[0].UE, s.PDRs[1].UE = netip.Addr{}, netip.Addr{}
				})
				p := b.Up(u, "in an Ethernet frame to all stations")
				p.Framed = true
				return []step{b.Establish(u, s), b.Send(p)}
			})},
		{ID: "session.repeated", Title: "A repeated establishment gets the same answer, and makes no second session", Clause: "TS 29.244 6.4",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				var request []byte
				var before n4.Answer
				s := b.Plain(u, g)
				return []step{
					b.Ask("establish a session", func(t *b.T) []byte {
						seid := t.Peer().NextSEID()
						request = t.Peer().Establish(t.Writer(), t.Peer().Node, seid, &s)
						return request
					}, func(t *b.T, a *n4.Answer) error {
						before = *a
						t.Adopt(u, 0, a.SEID)
						return b.Accept("a session")(t, a)
					}),
					b.Ask("the same request with the same sequence number", func(*b.T) []byte { return request }, func(_ *b.T, a *n4.Answer) error {
						if !b.Same(&before, a) {
							return fail.Wrong("the repeated request has the same answer",
								flow("UP SEID %#x in place of %#x, cause %s", a.SEID, before.SEID, a.Why()))
						}
						return nil
					}),
					b.Send(b.Up(u, ""), b.Down(u, "")),
				}
			})},
	}
}

// answered holds each answer on a session to its SEID.
func answered(u *b.UE, g *fixture) []step {
	var ours, theirs uint64
	right := func(what string) func(*b.T, *n4.Answer) error {
		return func(t *b.T, a *n4.Answer) error {
			if err := b.Accept(what)(t, a); err != nil {
				return err
			}
			if t.Session(u) == nil {
				theirs = a.SEID
				t.Adopt(u, ours, theirs)
			}
			return b.ToSEID(a, ours)
		}
	}
	s := b.Plain(u, g)
	return []step{
		b.Ask("establish a session", func(t *b.T) []byte {
			ours = t.Peer().NextSEID()
			return t.Peer().Establish(t.Writer(), t.Peer().Node, ours, t.LeaveFTEIDs(u, &s))
		}, right("a session")),
		b.Ask("modify it: FAR 2 to DROP", func(t *b.T) []byte {
			c := action(rules.Drop)
			return t.Peer().Modify(t.Writer(), theirs, &c)
		}, right("a modification")),
		b.Ask("delete it", func(t *b.T) []byte { return t.Peer().Delete(theirs) }, deleted(u, right("a deletion"))),
	}
}

// asked establishes, modifies and deletes a session, and holds the answers to checks.
func asked(u *b.UE, g *fixture, established, others func(*b.T, *n4.Answer) error) []step {
	var ours, theirs uint64
	s := b.Plain(u, g)
	then := func(what string, more func(*b.T, *n4.Answer) error) func(*b.T, *n4.Answer) error {
		return func(t *b.T, a *n4.Answer) error {
			if err := b.Accept(what)(t, a); err != nil || more == nil {
				return err
			}
			return more(t, a)
		}
	}
	return []step{
		b.Ask("establish a session", func(t *b.T) []byte {
			ours = t.Peer().NextSEID()
			return t.Peer().Establish(t.Writer(), t.Peer().Node, ours, t.LeaveFTEIDs(u, &s))
		}, func(t *b.T, a *n4.Answer) error {
			if theirs = a.SEID; a.Accepted() {
				t.Adopt(u, ours, theirs)
			}
			return then("a session", established)(t, a)
		}),
		b.Ask("modify it: FAR 2 to DROP", func(t *b.T) []byte {
			c := action(rules.Drop)
			return t.Peer().Modify(t.Writer(), theirs, &c)
		}, then("a modification", others)),
		b.Ask("delete it", func(t *b.T) []byte { return t.Peer().Delete(theirs) }, deleted(u, then("a deletion", others))),
	}
}

// deleted notes that a session is gone, where the answer to its deletion accepts it.
func deleted(u *b.UE, check func(*b.T, *n4.Answer) error) func(*b.T, *n4.Answer) error {
	return func(t *b.T, a *n4.Answer) error {
		if a.Accepted() {
			t.Session(u).Theirs = 0
		}
		return check(t, a)
	}
}

// shuffled has the UEs' packets take turns: those that are n apart come together.
func shuffled(list []b.Packet) {
	const ues = 4
	turns, each := append([]b.Packet(nil), list...), len(list)/ues
	for i := range list {
		list[i] = turns[i%ues*each+i/ues]
	}
}

// refusedToNobody is the check of an answer about an unknown session: cause 65, to SEID 0, since the UPF knows none of the
// SMF's (TS 29.244 clause 7.2.2.4.2).
func refusedToNobody(what string) func(*b.T, *n4.Answer) error {
	return func(t *b.T, a *n4.Answer) error {
		if err := b.Refuse(what, 65)(t, a); err != nil {
			return err
		}
		return b.ToSEID(a, 0)
	}
}
