package pfcp

import (
	"github.com/wmnsk/go-pfcp/ie"
)

// setup is an Association Setup Request (TS 29.244 clauses 6.2.6, 7.4.4.1).
type setup struct {
	node     string
	recovery uint32
}

func decodeSetup(f fields) (procedure, error) {
	node, err := nodeIDOf(f)
	if err != nil {
		return nil, err
	}
	recovery, err := f.mustUint32(ie.RecoveryTimeStamp)
	return setup{node, recovery}, err
}

// run makes the association, anew when there is one: the sessions of the old
// one are deleted.
func (p setup) run(s *Server, from source) outcome {
	old := s.nodes[p.node]
	if old == nil && len(s.nodes) >= maxAssociations {
		return s.fail(from, &rejection{cause: ie.CauseNoResourcesAvailable, reason: "too many associations"})
	}
	if old != nil {
		if err := s.clear(old); err != nil {
			return s.fail(from, err)
		}
	}
	s.nodes[p.node] = &association{
		node: p.node, peer: from.peer, recovery: p.recovery, sessions: map[uint64]*pduSession{},
	}
	s.log.Info("PFCP association set up", "node", p.node, "peer", from.peer)
	return outcome{
		answer: s.accepted(from.Header, 0, s.recoveryIE(), features()),
		keep:   true, node: p.node,
	}
}

// UP Function Features (clause 8.2.25).
const (
	featureFTUP = 1 << 4 // octet 5: the UP function can allocate F-TEIDs
	featureEMPU = 1 << 0 // octet 6: it sends End Markers
)

func features() *ie.IE {
	return ie.NewUPFunctionFeatures(featureFTUP, featureEMPU)
}

func (s *Server) recoveryIE() *ie.IE {
	return ie.NewUint32IE(ie.RecoveryTimeStamp, s.started)
}
