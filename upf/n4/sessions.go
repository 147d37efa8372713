package n4

import (
	"github.com/upflab/upflab/upf/n4/association"
)

// Sessions calls f with the sessions in the order of their SEIDs, until it returns
// false. Those that come or go meanwhile may be among them or not.
func (s *Server) Sessions(f func(association.Info) bool) {
	for _, one := range s.sessions.All() {
		if info, ok := s.sessions.Info(one); ok && !f(info) {
			return
		}
	}
}

// Session returns the session with the SEID, when there is one.
func (s *Server) Session(seid uint64) (association.Info, bool) {
	one := s.sessions.Get(seid)
	if one == nil {
		return association.Info{}, false
	}
	return s.sessions.Info(one)
}
