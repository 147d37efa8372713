package pfcp

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// seid is a SEID as logs have it, hexadecimal, as protocol analysers show it.
type seid uint64

// LogValue is slog.LogValuer's.
func (s seid) LogValue() slog.Value { return slog.StringValue(fmt.Sprintf("%#x", uint64(s))) }

// uesOf lists the UE addresses of rules, which may be nil, and the first of prefixes, each once.
func uesOf(r *session.Rules) (list []netip.Addr) {
	if r == nil {
		return nil
	}
	for i := range r.PDRs {
		p := &r.PDRs[i].PDI
		for _, a := range [...]netip.Addr{p.UE, p.UE6.Addr()} {
			if a.IsValid() && !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list
}

// logSession notes what became of a session, at debug: there may be thousands a second.
// rules are its own, or those that it had.
func (s *Server) logSession(what string, one *pduSession, rules *session.Rules) {
	if s.log.Enabled(context.Background(), slog.LevelDebug) {
		s.log.Debug(what, "seid", seid(one.up), "ue", uesOf(rules), "node", one.association.node,
			"pdrs", len(rules.PDRs), "fars", len(rules.FARs), "qers", len(rules.QERs), "urrs", len(rules.URRs))
	}
}

func (s *Server) logRejection(req pfcp.Header, r *rejection) {
	s.mu.Lock()
	var rules session.Packed
	if one := s.sessions[req.SEID]; one != nil {
		rules = one.rules
	}
	s.mu.Unlock()
	s.log.Warn("PFCP request refused", "type", req.Type, "sequence", req.Sequence, "seid", seid(req.SEID), "ue", uesOf(rules.Rules()),
		"why", r.Error())
}
