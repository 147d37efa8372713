package cases

import (
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
)

// leakUsers is how many sessions come and go together.
const leakUsers = 50

// leakLasts is what a case takes on a UPF that frees at once.
const leakLasts = time.Second

func leaks() []Case {
	of := func(text string, round func(t *b.T, users []*b.UE) error) func(*fixture) []step {
		return func(g *fixture) []step { return []step{b.Leaves(g, leakUsers, text, round)} }
	}
	return []Case{
		{ID: "leak.delete", Title: "Of deleted sessions nothing stays in the kernel", Clause: "TS 29.244 6.3.4",
			Lasts: leakLasts, Steps: of("establishment, packets and deletion", b.ComeAndGo(nil))},
		{ID: "leak.modify", Title: "Of sessions that were modified and deleted nothing stays in the kernel", Clause: "TS 29.244 6.3.3, 6.3.4",
			Lasts: leakLasts, Steps: of("establishment, packets, a modification that adds a PDR, a FAR and a QER, and deletion",
				b.ComeAndGo(func(u *b.UE) rules.Change {
					return rules.Change{Create: rules.Session{
						PDRs: []rules.PDR{{ID: 3, Precedence: 100, From: rules.Core, UE: u.Addr, FAR: 3, QERs: []uint32{2},
							Filters: []rules.Filter{{Flow: "permit out 17 from any 7000 to assigned"}}}},
						FARs: []rules.FAR{{ID: 3, Action: rules.Drop}},
						QERs: []rules.QER{{ID: 2, QFI: 9}}}}
				}))},
		{ID: "leak.release", Title: "Of the sessions of a released association nothing stays in the kernel", Clause: "TS 29.244 6.2.8",
			Upsets: true, Lasts: leakLasts, Steps: of("establishment, packets and release of the association",
				b.EndTogether("the release of the association", func(t *b.T) []byte { return t.Peer().Release() }))},
		{ID: "leak.restart", Title: "Of the sessions of an SMF that restarted nothing stays in the kernel", Clause: "TS 23.007 19A; TS 29.244 6.2.2",
			Upsets: true, Lasts: leakLasts, Steps: of("establishment, packets and a restart of the SMF",
				b.EndTogether("an association setup of the SMF that restarted",
					func(t *b.T) []byte { t.Peer().Restart(); return t.Peer().Setup() }))},
		{ID: "leak.refused", Title: "Of refused sessions nothing stays in the kernel", Clause: "TS 29.244 6.3.2.3",
			Lasts: leakLasts, Steps: of("a refused establishment", b.RefusedAll)},
	}
}
