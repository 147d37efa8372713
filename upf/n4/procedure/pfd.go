package procedure

import (
	"fmt"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// Manage gives the sender's sessions the new filters. Where one of them cannot have them,
// nothing changes.
func (s *Nodes) Manage(p request.PFDManagement, from request.Source) Outcome {
	a, err := s.Associations.Sender(from)
	if err != nil {
		return s.Fail(from, err)
	}
	old := s.Associations.Applications(a)
	now := p.Merge(old)
	if request.CountFlows(now) > request.MaxFlows {
		return s.Fail(from, request.NoResources(fmt.Sprintf("more than %d flow descriptions", request.MaxFlows)))
	}
	if err := s.setApplications(a, now, from); err != nil {
		s.restoreApplications(a, old, from)
		return s.Fail(from, &request.Rejection{Cause: ie.CauseRequestRejected, Reason: err.Error()})
	}
	return Outcome{Answer: s.accepted(from.Header, 0), Keep: true, Node: a.Node}
}

// setApplications changes a CP function's applications, and its sessions one by one. One
// that is established meanwhile has the new ones, or is among them.
func (s *Nodes) setApplications(a *association.Association, applications map[string][]session.Filter, from request.Source) error {
	s.Associations.SetApplications(a, applications)
	for _, one := range s.Associations.Ownership.SessionsOf(a) {
		if err := s.Carry.reapply(one, from); err != nil {
			return err
		}
	}
	return nil
}

func (s *Nodes) restoreApplications(a *association.Association, old map[string][]session.Filter, from request.Source) {
	if err := s.setApplications(a, old, from); err != nil {
		s.Log.Error("give sessions their old applications back", "node", a.Node, "err", err)
	}
}

// reapply gives a session the filters that its applications have now.
func (s *Sessions) reapply(one *association.Session, from request.Source) error {
	one.Lock()
	defer one.Unlock()
	rules := one.Rules.Rules()
	if rules == nil || !slices.ContainsFunc(rules.PDRs, func(p session.PDR) bool { return p.PDI.Application != "" }) {
		return nil
	}
	_, err := s.change(one, &request.Changes{}, from.At)
	return err
}
