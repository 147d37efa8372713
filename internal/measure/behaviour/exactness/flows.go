package exactness

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/record"
)

// qosFlow is an uplink QoS flow of a session, bit/s.
type qosFlow struct {
	qfi      uint8
	gbr, mbr float64 // 0: none
	offered  float64 // a multiple of flowUnit
}

const (
	flowOctets = 1000
	flowUnit   = 1e6
	// sessionRate is the session AMBR of these cases.
	sessionRate = 10e6
	// kept is how much a flow may lose that has to lose nothing.
	kept = 0.002
)

// competition is QoS flows of a session under one rate.
type competition struct {
	flows []qosFlow
	// all: the session's rate is for flows with a guaranteed bit rate, too.
	all bool
}

func flows(d time.Duration) []b.Case {
	one := func(id, title, clause string, c competition) b.Case {
		return b.Case{ID: "flows." + id, Title: title, Clause: clause, Lasts: d,
			Steps: func(*b.Fixture) []b.Step {
				return []b.Step{{Text: title, Do: func(t *b.T) error { return c.run(t, d) }}}
			}}
	}
	return []b.Case{
		one("ambr", "Flows without a guaranteed bit rate share the session AMBR; a flow with one loses nothing",
			"TS 23.501 5.7.1.6, 5.7.2.6; TS 29.244 5.4.4, 5.4.5",
			competition{flows: []qosFlow{{1, 6e6, 8e6, 6e6}, {2, 0, 0, 8e6}, {3, 0, 0, 8e6}}}),
		one("gbr.over", "Of a flow with a guaranteed bit rate no more than its maximum passes",
			"TS 23.501 5.7.1.6, 5.7.2.5; TS 29.244 5.4.4, 5.4.5",
			competition{flows: []qosFlow{{1, 6e6, 8e6, 12e6}, {2, 0, 0, 4e6}}}),
		one("gbr.shared", "Where one QER limits all flows of a session: which of them lose", "TS 29.244 5.4.4, 5.4.5",
			competition{flows: []qosFlow{{1, 6e6, 8e6, 6e6}, {2, 0, 0, 4e6}, {3, 0, 0, 4e6}}, all: true}),
		{ID: "flows.link", Title: "When more is offered than the UPF passes: which flows lose", Clause: "TS 23.501 5.7.2.5", Lasts: d,
			Steps: func(*b.Fixture) []b.Step {
				return []b.Step{{Text: "offer more than passes", Do: func(t *b.T) error { return overfull(t, d) }}}
			}},
	}
}

// session has a PDR for each flow uplink. QER n is flow n's, QER 100 the session's.
func (c *competition) session(u *b.UE, g *b.Fixture) rules.Session {
	const ambr = 100
	s := b.Plain(u, g)
	down := s.PDRs[1]
	s.PDRs, s.QERs = nil, []rules.QER{{ID: ambr, MBRUp: sessionRate / 1e3, MBRDown: sessionRate / 1e3}}
	for i, f := range c.flows {
		id := uint32(i + 1)
		q := rules.QER{ID: id, QFI: f.qfi, MBRUp: uint64(f.mbr / 1e3), MBRDown: uint64(f.mbr / 1e3),
			GBRUp: uint64(f.gbr / 1e3), GBRDown: uint64(f.gbr / 1e3)}
		p := rules.PDR{ID: uint16(10 + i), Precedence: 200, From: rules.Access, TEID: u.TEID, UE: u.Addr, UE6: u.Second,
			QFIs: []uint8{f.qfi}, FAR: 1, QERs: []uint32{id}}
		if f.gbr == 0 || c.all {
			p.QERs = append(p.QERs, ambr)
		}
		s.PDRs, s.QERs = append(s.PDRs, p), append(s.QERs, q)
	}
	down.QERs = []uint32{1}
	s.PDRs = append(s.PDRs, down)
	return s
}

// run offers all flows at once.
func (c *competition) run(t *b.T, d time.Duration) error {
	u := t.Fixture.UE(0)
	if err := b.Establish(u, c.session(u, t.Fixture)).Do(t); err != nil {
		return err
	}
	s := b.Stream{Up: true, Octets: flowOctets, For: d}
	var of []int // the flow of each of the stream's
	for i, f := range c.flows {
		for range int(f.offered / flowUnit) {
			s.Flows, of = append(s.Flows, b.Flow{UE: u, QFI: f.qfi}), append(of, i)
		}
	}
	s.Flows, of = spread(s.Flows, of)
	s.PPS = float64(len(s.Flows)) * flowUnit / 8 / flowOctets
	seen, err := t.Stream(s)
	if err != nil {
		return err
	}
	split, under := c.split(seen.Fates, of)
	for i, f := range c.flows {
		t.Flows = append(t.Flows, share(f, split[i]))
	}
	return c.judge(t.Flows, split, under)
}

// split gives the packets of each flow, and those under the session's rate. of is the flow of
// each of the stream's.
func (c *competition) split(all []b.Fate, of []int) (each [][]b.Fate, under []b.Fate) {
	each = make([][]b.Fate, len(c.flows))
	for _, f := range all {
		i := of[f.Flow]
		each[i] = append(each[i], f)
		if c.flows[i].gbr == 0 || c.all {
			under = append(under, f)
		}
	}
	return each, under
}

// spread puts the packets of each flow at equal distances, as a stride does.
func spread(flows []b.Flow, of []int) ([]b.Flow, []int) {
	n := len(flows)
	stride := n/2 + 1
	for gcd(n, stride) != 1 {
		stride++
	}
	list, from := make([]b.Flow, n), make([]int, n)
	for i := range n {
		list[i], from[i] = flows[i*stride%n], of[i*stride%n]
	}
	return list, from
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// share sums a flow's packets up, without those that were sent while the machine was
// disturbed.
func share(f qosFlow, list []b.Fate) record.FlowShare {
	s := record.FlowShare{QFI: f.qfi, GBRBPS: f.gbr, MBRBPS: f.mbr}
	sent, lost := undisturbed(list)
	if len(list) < 2 || sent == 0 {
		return s
	}
	s.OfferedBPS = float64(len(list)*list[0].Octets) * 8 / list[len(list)-1].Sent.Sub(list[0].Sent).Seconds()
	s.LossRatio = float64(lost) / float64(sent)
	s.PassedBPS = s.OfferedBPS * (1 - s.LossRatio)
	return s
}

// judge holds the flows to the rules.
func (c *competition) judge(got []record.FlowShare, split [][]b.Fate, under []b.Fate) error {
	if err := limited(under, c.under(), sessionRate, "of what the session's rate limits"); err != nil {
		return err
	}
	for i, f := range c.flows {
		switch {
		case f.gbr == 0:
		case f.offered > f.mbr:
			if err := limited(split[i], f.offered, f.mbr, fmt.Sprintf("of the flow with QFI %d", f.qfi)); err != nil {
				return err
			}
		case got[i].LossRatio <= kept:
		case c.all:
			return fail.Inapplicable("not judged, for no clause asks for it: of each flow is lost: %s", losses(got))
		case !calm(split[i]):
			return fail.Repeated(fail.Inapplicable("cannot tell: the machine was disturbed for nearly all of the time; "+
				"of each flow is lost: %s", losses(got)))
		default:
			return fail.Repeated(fail.Missing(fmt.Sprintf("the flow with QFI %d, which stays within its guaranteed bit "+
				"rate, loses nothing", f.qfi), "of each flow is lost: "+losses(got)))
		}
	}
	return nil
}

// under is what is offered under the session's rate.
func (c *competition) under() (bps float64) {
	for _, f := range c.flows {
		if f.gbr == 0 || c.all {
			bps += f.offered
		}
	}
	return bps
}

// limited holds packets to a rate, where more is offered.
func limited(list []b.Fate, offered, mbr float64, what string) error {
	if offered <= mbr {
		return nil
	}
	bps, steady, void := measure(list)
	expected := fmt.Sprintf("%s %.0f kbit/s pass, within %.0f %%", what, mbr/1e3, exactly*100)
	switch {
	case steady < enough:
		return fail.Repeated(fail.Inapplicable("cannot tell: packets were sent at a pace for %v in all", steady))
	case bps > 0.9*offered:
		return fail.Missing(expected, fmt.Sprintf("%.0f do, of %.0f", bps/1e3, offered/1e3))
	case bps >= (1-exactly)*mbr && bps <= (1+exactly)*mbr:
	case void:
		return fail.Repeated(fail.Inapplicable("cannot tell: %.0f kbit/s pass, but the machine was disturbed for nearly all of the time", bps/1e3))
	default:
		return fail.Repeated(fail.Wrong(expected, fmt.Sprintf("%.0f do", bps/1e3)))
	}
	return nil
}

func losses(got []record.FlowShare) (text string) {
	for i, s := range got {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("QFI %d: %.1f %%", s.QFI, s.LossRatio*100)
	}
	return text
}
