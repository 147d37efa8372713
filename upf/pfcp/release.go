package pfcp

// release is an Association Release Request (TS 29.244 clauses 6.2.8, 7.4.4.5).
type release struct{ node string }

func decodeRelease(f fields) (procedure, error) {
	node, err := nodeIDOf(f)
	return release{node}, err
}

// run deletes the sessions, then the association.
func (p release) run(s *Server, from source) outcome {
	a := s.nodes[p.node]
	if a == nil {
		return s.fail(from, notAssociated(p.node))
	}
	if err := s.clear(a); err != nil {
		return s.fail(from, err)
	}
	delete(s.nodes, p.node)
	s.log.Info("PFCP association released", "node", p.node, "peer", from.peer)
	return outcome{answer: s.accepted(from.Header, 0), keep: true, node: p.node}
}
