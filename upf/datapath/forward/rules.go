package forward

import (
	"fmt"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// rule is what the packets with a key meet: rows, the most important first.
type rule struct {
	owner
	from   session.Interface
	rows   []row
	relays bool // one of the rows takes packets into another tunnel
	plain  bool // one row that asks for the UE and a QFI alone
	// came are the packets that met it, with the octets of their T-PDUs.
	came session.Count
}

// pick finds the row of a packet, or why it has none.
func (u *rule) pick(ip []byte, f *flow) (*row, Verdict) {
	u.came.Packets++
	u.came.Octets += uint64(len(ip))
	why := Drop(datapath.ReasonSourceMismatch)
	for i := range u.rows {
		r := &u.rows[i]
		if !r.isUE(f) {
			continue
		}
		if r.matches(f) {
			r = r.inEffect()
			return r, r.verdict
		}
		why = Drop(datapath.ReasonNoPDR)
		if u.plain && !f.removal.OnN6() {
			why = Drop(datapath.ReasonQFIMismatch)
		}
	}
	if len(u.rows) == 0 {
		why = Drop(datapath.ReasonNoPDR)
	}
	return nil, why
}

// claim turns a chain into a rule and enters it, unless another has its key. The
// error is a *session.RuleError.
func (t *Table) claim(r *session.Rules, c *plan.Chain) error {
	had := t.find(c.Key)
	switch {
	case had != nil:
		return refuse(c, "%v is that of PDR %d of session %#x", c.Key, had.pdr, had.seid)
	case !c.Key.IsTunnel() && !t.hasPool(c.Key.UE):
		return refuse(c, "%v is in no pool: the kernel would forward its packets, too", c.Key)
	}
	u := &rule{owner: owner{r.SEID, c.PDR}, from: c.Key.Source, plain: c.Plain()}
	for i := range c.Rows {
		w := rowOf(&c.Rows[i], c.Key.IPv6)
		w.seid = r.SEID
		if w.tunnel != nil {
			w.tunnel.NoECN = t.noECN
		}
		if w.exit != nil {
			w.exit.NoECN = t.noECN
		}
		if w.tunnel != nil && w.tunnel.Peer6.IsValid() && !t.outer6 {
			return refuse(c, "the tunnel's end %v is an IPv6 address, and the UPF has none on N3: set n3.address6 "+
				"where the datapath can", w.tunnel.Peer6)
		}
		if err := t.checkN6(&c.Rows[i]); err != nil {
			return refuse(c, "%v", err)
		}
		if w.from = c.Key.Source; c.Key.IsTunnel() && w.tunnel != nil {
			if t.noRelay {
				return refuse(c, "this datapath does not forward from a tunnel into a tunnel")
			}
			w.relays, u.relays = relaysOf(w.tunnel, w.from), true
		}
		w.meters = t.metersOf(r.SEID, c.Key.Source, c.Rows[i].Meters)
		w.usages, w.quotas = t.usagesOf(r.SEID, c.Rows[i].URRs)
		u.rows = append(u.rows, w)
	}
	for i := range u.rows {
		for _, at := range c.Rows[i].Instead {
			of, _ := t.usagesOf(r.SEID, []*session.URR{c.Rows[at].Of})
			u.rows[i].instead = append(u.rows[i].instead, instead{of[0], &u.rows[at]})
		}
	}
	u.rows = u.rows[:plan.Matched(c.Rows)]
	t.enter(c.Key, u)
	return nil
}

// checkN6 wants an end at the UPF for the tunnels on N6 of a row.
func (t *Table) checkN6(r *plan.Row) error {
	if err := t.n6.Check(r.Removal); err != nil || r.Outer == nil {
		return err
	}
	return t.n6.Check(r.Outer.Kind)
}

func refuse(c *plan.Chain, format string, args ...any) error {
	return &session.RuleError{Kind: session.KindPDR, ID: uint32(c.PDR), Reason: fmt.Sprintf(format, args...)}
}
