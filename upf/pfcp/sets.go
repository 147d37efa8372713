package pfcp

import (
	"slices"

	"github.com/wmnsk/go-pfcp/ie"
)

// setDeletion is a Session Set Deletion Request (TS 29.244 clauses 6.2.10, 7.4.6.1): the
// sessions with one of the FQ-CSIDs go, without usage reports.
type setDeletion struct {
	node string
	sets []string
}

func decodeSetDeletion(f fields) (procedure, error) {
	p := setDeletion{}
	var err error
	if p.node, err = nodeIDOf(f); err != nil {
		return nil, err
	}
	if p.sets, err = decodeSets(f); err != nil {
		return nil, err
	}
	if len(p.sets) == 0 {
		return nil, missingConditional(ie.FQCSID)
	}
	return p, nil
}

// decodeSets reads the FQ-CSIDs (clause 8.2.45) of a message: each is a node and numbers
// of sets there.
func decodeSets(f fields) (sets []string, err error) {
	for _, i := range f {
		if i.Type != ie.FQCSID {
			continue
		}
		if len(i.Payload) == 0 {
			return nil, badLength(ie.FQCSID)
		}
		kind, count := i.Payload[0]>>4, int(i.Payload[0]&0xf)
		size, known := map[byte]int{0: 4, 1: 16, 2: 4}[kind]
		b := i.Payload[1:]
		switch {
		case !known:
			return nil, incorrect(ie.FQCSID, "the type of its node is not known")
		case len(b) < size+2*count:
			return nil, badLength(ie.FQCSID)
		}
		node := string(i.Payload[0]&0xf0) + string(b[:size])
		for n := range count {
			at := size + 2*n
			sets = append(sets, node+string(b[at:at+2]))
		}
	}
	return sets, nil
}

// run deletes the sender's sessions that are in one of the sets.
func (p setDeletion) run(s *Server, from source) outcome {
	s.mu.Lock()
	a, err := s.named(p.node, from)
	s.mu.Unlock()
	if err != nil {
		return s.fail(from, err)
	}
	if err := s.drop(s.inSets(a, p.sets)); err != nil {
		return s.fail(from, err)
	}
	return outcome{answer: s.accepted(from.Header, 0), keep: true, node: a.node}
}

func (s *Server) inSets(a *association, sets []string) (list []*pduSession) {
	for _, one := range s.sessionsOf(a) {
		if slices.ContainsFunc(one.setsOf(), func(set string) bool { return slices.Contains(sets, set) }) {
			list = append(list, one)
		}
	}
	return list
}

// setsOf are the FQ-CSIDs that the session was established with.
func (p *pduSession) setsOf() []string {
	if p.extras == nil {
		return nil
	}
	return p.sets
}
