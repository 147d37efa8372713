package pfcp

// release is an Association Release Request (TS 29.244 clauses 6.2.8, 7.4.4.5).
type release struct{ node string }

func decodeRelease(f fields) (procedure, error) {
	node, err := nodeIDOf(f)
	return release{node}, err
}

// run deletes the sessions, then the association.
func (p release) run(s *Server, from source) outcome {
	s.mu.Lock()
	a, err := s.named(p.node, from)
	if err == nil {
		a.ending = true
	}
	s.mu.Unlock()
	if err != nil {
		return s.fail(from, err)
	}
	if err := s.end(a); err != nil {
		return s.fail(from, err)
	}
	s.log.Info("PFCP association released", "node", a.node, "peer", from.peer)
	return outcome{answer: s.accepted(from.Header, 0), keep: true, node: a.node}
}
