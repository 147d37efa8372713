package pfcp

import (
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// finals gathers the reports of URRs that go.
type finals struct {
	typ     uint16
	old     *session.Rules
	states  usageStates
	at      time.Time
	reports []*ie.IE
}

// generation is that of a URR that is created, which is another one than the URR that had its ID.
func (f *finals) generation(id uint32) uint32 {
	if f.old == nil {
		return 0
	}
	if had := f.old.FindURR(id); had != nil {
		return had.Generation + 1
	}
	return 0
}

// take is a datapath.Change's Final.
func (f *finals) take(urr session.URRKey, usage session.Usage) {
	old, st := f.old.FindURR(urr.ID()), f.states.of(urr.ID())
	if old == nil || old.ID == watchURR {
		return
	}
	u := *old
	st.due(&u.Asked, usage, f.at)
	f.reports = append(f.reports, st.reports(f.typ, &u, usage, becauseEnd, f.at)...)
}
