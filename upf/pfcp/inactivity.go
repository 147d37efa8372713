package pfcp

import (
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// watchURR is the URR by which a session with a User Plane Inactivity Timer is watched:
// of no CP function's, whose own URRs have IDs below 2^31 (TS 29.244 clause 8.2.54).
const watchURR = 1<<32 - 1

// decodeInactivity reads a User Plane Inactivity Timer (clause 8.2.83); nil when it is
// absent, 0 when it stops.
func (c *changes) decodeInactivity(f fields) error {
	b, found, err := f.may(ie.UserPlaneInactivityTimer, 4)
	if err != nil || !found {
		return err
	}
	c.inactivity = new(time.Duration)
	if len(b) > 0 {
		seconds, err := f.mayUint32(ie.UserPlaneInactivityTimer)
		if err != nil {
			return err
		}
		*c.inactivity = time.Duration(*seconds) * time.Second
	}
	return nil
}

// watch has the packets of all PDRs counted by the watching URR, where there is one.
func (c *changes) watch(r *session.Rules, _ *tunnels) error {
	isWatch := func(u session.URR) bool { return u.ID == watchURR }
	if c.inactivity != nil {
		r.URRs = slices.DeleteFunc(r.URRs, isWatch)
		if *c.inactivity > 0 {
			r.URRs = append(r.URRs, session.URR{ID: watchURR, Asked: session.URRParameters{Inactivity: *c.inactivity}})
		}
	}
	watched := slices.ContainsFunc(r.URRs, isWatch)
	for i := range r.PDRs {
		p := &r.PDRs[i]
		p.URRs = slices.DeleteFunc(slices.Clone(p.URRs), func(id uint32) bool { return id == watchURR })
		if watched {
			p.URRs = append(p.URRs, watchURR)
		}
	}
	return nil
}

// becauseInactive is no reason of a usage report.
const becauseInactive reason = 1 << 31

// dueByInactivity says when no packet came for the time. That is due again when one did.
func (st *usageState) dueByInactivity(p *session.URRParameters, u session.Usage, now time.Time) reason {
	if u.Octets().Total != st.activity.total {
		st.ended = false
	}
	st.activity.look(u, now)
	if end := st.inactivityEnd(p); end.IsZero() || now.Before(end) {
		return 0
	}
	st.ended = true
	return becauseInactive
}

func (st *usageState) inactivityEnd(p *session.URRParameters) time.Time {
	if p.Inactivity <= 0 || st.ended {
		return time.Time{}
	}
	return later(st.activity.last, st.since).Add(p.Inactivity)
}

// reportTypeInactivity is UPIR of a Report Type (clause 8.2.21).
const reportTypeInactivity = 1 << 3

// reportInactivity tells the CP function that no packets come. The session's lock is held.
func (s *Server) reportInactivity(one *pduSession, now time.Time) {
	cp, to := s.reportTo(one)
	s.report(to, now, func(sequence uint32) []byte {
		return encode(pfcp.SessionReportRequest, cp, sequence, ie.New(ie.ReportType, []byte{reportTypeInactivity}))
	})
}
