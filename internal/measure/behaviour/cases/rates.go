package cases

import (
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/rate"
)

// Rates in kbit/s.
const (
	offered = 10_000
	limit   = 4_000
)

const ratesLast = 3 * time.Second

// rates are the cases of maximum bit rates.
func rates() []Case {
	limited := func(up, down uint64) rules.QER { return rules.QER{ID: 1, QFI: 9, MBRUp: up, MBRDown: down} }
	return []Case{
		{ID: "qer.mbr.uplink", Title: "Uplink traffic is limited to the maximum bit rate", Clause: "TS 29.244 5.4.4, 8.2.8", Lasts: ratesLast,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, with(g, func(s *rules.Session) { s.QERs[0] = limited(limit, 100_000) })),
					rate.Limited(offered, limit, b.Up(u, ""))}
			})},
		{ID: "qer.mbr.downlink", Title: "Downlink traffic is limited to the maximum bit rate", Clause: "TS 29.244 5.4.4, 8.2.8", Lasts: ratesLast,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, with(g, func(s *rules.Session) { s.QERs[0] = limited(100_000, limit) })),
					rate.Limited(offered, limit, b.Down(u, ""))}
			})},
		{ID: "qer.mbr.below", Title: "Traffic below the maximum bit rate passes whole", Clause: "TS 29.244 5.4.4, 8.2.8", Lasts: ratesLast,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, with(g, func(s *rules.Session) { s.QERs[0] = limited(offered, offered) })),
					rate.Limited(limit, limit, b.Up(u, "")), rate.Limited(limit, limit, b.Down(u, ""))}
			})},
		{ID: "qer.mbr.update", Title: "An updated maximum bit rate counts", Clause: "TS 29.244 7.5.4.5", Lasts: ratesLast,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				return []step{b.Establish(u, with(g, func(s *rules.Session) { s.QERs[0] = limited(100_000, 100_000) })),
					b.Modify(u, "MBR of 4000 kbit/s", rules.Change{Update: rules.Session{QERs: []rules.QER{limited(limit, limit)}}}),
					rate.Limited(offered, limit, b.Down(u, ""))}
			})},
		{ID: "qer.mbr.shared", Title: "PDRs with the same QER share its maximum bit rate", Clause: "TS 29.244 5.4.4", Lasts: ratesLast,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := twoTunnels(u, g, 100, 300)
				s.PDRs[2].FAR, s.FARs, s.QERs[0] = 2, s.FARs[:2], limited(100_000, limit)
				return []step{b.Establish(u, s), rate.Limited(offered, limit, b.Down(u, "").Host(g.DN(1)), b.Down(u, ""))}
			})},
		{ID: "qer.mbr.session-and-flow", Title: "Of several QERs of a PDR the lowest maximum bit rate limits",
			Clause: "TS 29.244 5.4.4; TS 23.501 5.7.1.6", Lasts: ratesLast,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) {
					s.QERs = []rules.QER{limited(8000, 8000), {ID: 2, MBRUp: limit, MBRDown: limit}}
					s.PDRs[0].QERs, s.PDRs[1].QERs = []uint32{1, 2}, []uint32{1, 2}
				})
				return []step{b.Establish(u, s), rate.Limited(offered, limit, b.Down(u, ""))}
			})},
		{ID: "qer.gbr", Title: "A QoS flow with a guaranteed bit rate carries up to its maximum bit rate",
			Clause: "TS 29.244 5.4.5, 8.2.9", Lasts: ratesLast,
			Steps: steps(func(u *b.UE, g *fixture) []step {
				s := with(g, func(s *rules.Session) {
					s.QERs[0] = limited(limit, limit)
					s.QERs[0].GBRUp, s.QERs[0].GBRDown = limit/2, limit/2
				})
				return []step{b.Establish(u, s), rate.Limited(offered, limit, b.Down(u, ""))}
			})},
	}
}
