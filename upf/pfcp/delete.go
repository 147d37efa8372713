package pfcp

// deletion is a Session Deletion Request (TS 29.244 clauses 6.3.4, 7.5.6).
type deletion struct{}

func (deletion) run(s *Server, from source) outcome {
	one := s.sessions[from.SEID]
	if one == nil {
		return s.fail(from, sessionNotFound())
	}
	if err := s.drop([]*pduSession{one}); err != nil {
		return s.fail(from, err)
	}
	return outcome{answer: s.accepted(from.Header, one.cp), keep: true, node: one.association.node}
}
