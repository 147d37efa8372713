package pfcp

// update is an Association Update Request (TS 29.244 clauses 6.2.7, 7.4.4.3).
// Nothing that it can say changes what the UP function does.
type update struct{ node string }

func decodeUpdate(f fields) (procedure, error) {
	node, err := nodeIDOf(f)
	return update{node}, err
}

func (p update) run(s *Server, from source) outcome {
	s.mu.Lock()
	_, err := s.named(p.node, from)
	s.mu.Unlock()
	if err != nil {
		return s.fail(from, err)
	}
	return outcome{answer: s.accepted(from.Header, 0, s.features())}
}
