package xdp

import (
	"fmt"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// planner gathers the steps of one Apply.
type planner struct {
	table *table
	steps []step
	at    map[key]int // which step changes the key
}

// release frees the keys of a session that changes or goes.
func (p *planner) release(c datapath.Change) error {
	if c.Old == nil {
		return p.checkNew(c)
	}
	first, ok := p.table.sessions[c.Old.SEID]
	if !ok {
		return fmt.Errorf("session %#x: not in the datapath: apply it first", c.Old.SEID)
	}
	for n := first; n != 0; n = p.table.records.at(n).next {
		k := p.table.records.at(n).key
		if _, twice := p.at[k]; twice {
			return fmt.Errorf("session %#x: changed twice in one batch: join the changes", c.Old.SEID)
		}
		p.at[k] = len(p.steps)
		p.steps = append(p.steps, step{key: k, old: p.table.load(n), number: n})
	}
	return nil
}

func (p *planner) checkNew(c datapath.Change) error {
	if c.New == nil {
		return fmt.Errorf("a change with neither old nor new rules: give one")
	}
	if _, ok := p.table.sessions[c.New.SEID]; ok {
		return fmt.Errorf("session %#x: already in the datapath: give its old rules", c.New.SEID)
	}
	return nil
}

// claim takes the keys that the rules want.
func (p *planner) claim(r *session.Rules) error {
	entries, err := compile(r, p.table.ends)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := p.claimKey(e); err != nil {
			return err
		}
	}
	return nil
}

// claimKey refuses a key that another session's PDR has.
func (p *planner) claimKey(e compiled) error {
	i, touched := p.at[e.key]
	if !touched {
		if owner := p.table.find(e.key); owner != nil {
			return conflict(e.entry, owner)
		}
		p.at[e.key] = len(p.steps)
		p.steps = append(p.steps, step{key: e.key, new: e.entry, rows: e.rows})
		return nil
	}
	if owner := p.steps[i].new; owner != nil {
		return conflict(e.entry, &record{seid: owner.seid, pdr: owner.pdr})
	}
	p.steps[i].new, p.steps[i].rows = e.entry, e.rows
	return nil
}

func conflict(e *entry, owner *record) error {
	return &session.RuleError{
		Kind: session.KindPDR, ID: uint32(e.pdr),
		Reason: fmt.Sprintf("%v is that of PDR %d of session %#x",
			e.key, owner.pdr, owner.seid),
	}
}

func (p *planner) checkRoom() error {
	grow := map[tableID]int{}
	for _, s := range p.steps {
		if n := s.change(); n != 0 {
			grow[s.key.table()] += n
		}
	}
	for t, n := range grow {
		if p.table.count[t]+n > p.table.max {
			return fmt.Errorf("xdp: %d PDRs from %v: %w: raise max sessions", p.table.count[t]+n, t.source, datapath.ErrFull)
		}
	}
	return nil
}
