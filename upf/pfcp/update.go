package pfcp

import (
	"github.com/wmnsk/go-pfcp/ie"
)

// update is an Association Update Request (TS 29.244 clauses 6.2.7, 7.4.4.3).
// Nothing that it can say changes what the UP function does.
type update struct{ node string }

func decodeUpdate(f fields) (procedure, error) {
	node, err := nodeIDOf(f)
	return update{node}, err
}

func (p update) run(s *Server, from source) outcome {
	if s.nodes[p.node] == nil {
		return s.fail(from, notAssociated(p.node))
	}
	return outcome{answer: s.accepted(from.Header, 0, features())}
}

func notAssociated(node string) error {
	return &rejection{cause: ie.CauseNoEstablishedPFCPAssociation, reason: "no association with node " + node}
}
