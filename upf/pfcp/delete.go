package pfcp

import "github.com/wmnsk/go-pfcp/ie"

// deletion is a Session Deletion Request (TS 29.244 clauses 6.3.4, 7.5.6).
type deletion struct{}

func (deletion) run(s *Server, from source) outcome {
	one, err := s.find(from)
	if err != nil {
		return s.fail(from, err)
	}
	cp := one.cp
	final := &finals{typ: ie.UsageReportWithinSessionDeletionResponse, at: from.at}
	one.extra().final = final
	one.mu.Unlock()
	if err := s.drop([]*pduSession{one}); err != nil {
		return s.fail(from, err)
	}
	return outcome{answer: s.accepted(from.Header, cp, final.reports...), keep: true, node: one.association.node}
}
