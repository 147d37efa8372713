package cases

import (
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// protected are the clauses that ask for IPsec.
func protected() []Case {
	once := func(sealed []byte) [][]byte { return [][]byte{sealed} }
	thrice := func(sealed []byte) [][]byte { return [][]byte{sealed, sealed, sealed} }
	return []Case{
		{ID: "scas.n3-confidentiality", Title: "User data on N3 is encrypted, and G-PDUs that are not are dropped",
			Clause: "TS 33.513 4.2.2.1 (TC_UP_DATA_CONF_UPF)", Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), onlySealed(b.Send(b.Up(u, ""), b.Down(u, ""))),
					unprotected(u), onlySealed(b.Send(b.Up(u, "after that")))}
			})},
		{ID: "scas.n3-integrity", Title: "A packet on N3 that was altered on its way is dropped", Clause: "TS 33.513 4.2.2.2",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), tampered(once, b.Send(b.Up(u, ""))),
					tampered(altered, b.Send(b.Up(u, "of which a bit is altered on its way").Lost())), tampered(once, b.Send(b.Up(u, "after that")))}
			})},
		{ID: "scas.n3-replay", Title: "A packet on N3 that comes again is dropped", Clause: "TS 33.513 4.2.2.3",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), tampered(thrice, b.Send(b.Up(u, "that comes three times"))),
					tampered(once, b.Send(b.Up(u, "after that")))}
			})},
		{ID: "scas.n9-protection", Title: "User data on N9 within an operator's network is protected", Clause: "TS 33.513 4.2.2.4",
			Need: need{Optional: true}, Steps: steps(func(u *b.UE, g *fixture) []step {
				in := func(name string) step { return b.Send(fromHome(u, g, name, g.UE(1).TEID)) }
				return []step{b.Establish(u, homeRouted(u, g)), onlySealed(in("in the tunnel")),
					tampered(altered, b.Send(fromHome(u, g, "of which a bit is altered on its way", g.UE(1).TEID).Lost())),
					tampered(thrice, in("that comes three times")), onlySealed(in("after that"))}
			})},
		{ID: "scas.n4-protection", Title: "Signalling on N4 is protected", Clause: "TS 33.513 4.2.2.5",
			Steps: func(*fixture) []step {
				return []step{b.Needs("IPsec tunnels between the SMF and the UPF, and their keys")}
			}},
		{ID: "scas.n3-cost", Title: "What protecting N3 costs the UPF is measured", Clause: "TS 33.513 4.2.2.1",
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, b.Plain(u, g)), {Text: "send at a rate with and without IPsec in turn, and read the UPF's CPU time", Do: cost(u)}}
			})},
	}
}

// guarded is a step that needs the protection of N3.
func guarded(text string, do func(t *b.T, p *b.IPsec) error) step {
	return step{Text: text, Do: func(t *b.T) error {
		p := t.Lab.Capabilities().IPsec
		if p == nil {
			return fail.Inapplicable("it needs IPsec on N3: --set n3.ipsec=esp, with a UPF whose N3 is a UDP socket of the kernel")
		}
		return do(t, p)
	}}
}

// onlySealed does a step, and holds the UPF to send nothing on N3 that is not encrypted meanwhile.
func onlySealed(s step) step {
	return guarded(s.Text+"; from the UPF comes no GTP-U on N3 that is not in ESP", func(t *b.T, p *b.IPsec) error {
		_, before := p.Seen()
		if err := s.Do(t); err != nil {
			return err
		}
		if _, clear := p.Seen(); clear > before {
			return fail.NotEnforcedf("GTP-U on N3 is in ESP", "%d packets came in clear", clear-before)
		}
		return nil
	})
}

// tampered does a step whose packets on N3 are changed once they are sealed.
func tampered(f func(sealed []byte) [][]byte, s step) step {
	return guarded(s.Text, func(t *b.T, p *b.IPsec) error {
		p.Tamper(f)
		defer p.Tamper(nil)
		return fail.Because("", s.Do(t)) // the fault is of what protects N3, and not of what other cases see
	})
}

// altered changes a bit of what is encrypted.
func altered(sealed []byte) [][]byte {
	other := append([]byte(nil), sealed...)
	other[len(other)/2] ^= 1
	return [][]byte{other}
}

// unprotected sends a packet on N3 in clear, which has to go nowhere.
func unprotected(u *b.UE) step {
	s := b.Send(b.Up(u, "in clear").Lost())
	return guarded(s.Text, func(t *b.T, p *b.IPsec) error {
		p.Bare(true)
		defer p.Bare(false)
		return s.Do(t)
	})
}

// The cost is that of packets in both directions, in turns with and without IPsec.
const (
	costTurns = 4 // of each
	costFor   = time.Second
	costPPS   = 4000
)

// cost measures the UPF's CPU time a packet with and without IPsec in turn.
func cost(u *b.UE) func(t *b.T) error {
	return guarded("", func(t *b.T, p *b.IPsec) (err error) {
		defer func() { err = fail.FirstOf(err, p.Switch(true), p.Threads(false)) }()
		if err := p.Threads(true); err != nil {
			return err
		}
		out := &record.IPsec{}
		for range costTurns {
			for _, on := range []bool{true, false} {
				each, err := turn(t, p, u, on)
				if err != nil {
					return err
				}
				if on {
					out.SealedNS = append(out.SealedNS, each)
				} else {
					out.ClearNS = append(out.ClearNS, each)
				}
			}
		}
		t.IPsec = out
		return nil
	}).Do
}

// turn is the CPU time a packet that arrives, ns.
func turn(t *b.T, p *b.IPsec, u *b.UE, on bool) (float64, error) {
	if err := p.Switch(on); err != nil {
		return 0, err
	}
	if _, err := t.Observe([]b.Packet{b.Up(u, ""), b.Down(u, "")}, costPPS, costFor/5); err != nil { // to warm up
		return 0, err
	}
	before, err := p.CPU()
	if err != nil {
		return 0, err
	}
	seen, err := t.Observe([]b.Packet{b.Up(u, ""), b.Down(u, "")}, costPPS, costFor)
	if err != nil {
		return 0, err
	}
	after, err := p.CPU()
	if err != nil {
		return 0, err
	}
	arrived := seen.Sent - seen.Lost
	if arrived*10 < seen.Sent*9 {
		return 0, fail.Repeated(fail.Inapplicable("cannot tell: %d of %d packets arrive", arrived, seen.Sent))
	}
	return float64(after-before) / float64(arrived), nil
}
