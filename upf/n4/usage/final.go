package usage

import (
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// Finals gathers the reports of URRs that go.
type Finals struct {
	Type    uint16
	Old     *session.Rules
	States  States
	At      time.Time
	Reports []*ie.IE
}

// Generation is that of a URR that is created, which is another one than the URR that had its ID.
func (f *Finals) Generation(id uint32) uint32 {
	if f.Old == nil {
		return 0
	}
	if had := f.Old.FindURR(id); had != nil {
		return had.Generation + 1
	}
	return 0
}

// Take is a datapath.Change's Final.
func (f *Finals) Take(urr session.URRKey, usage session.Usage) {
	old, st := f.Old.FindURR(urr.ID()), f.States.Of(urr.ID())
	if old == nil || old.ID == request.WatchURR {
		return
	}
	u := *old
	st.Due(&u.Asked, usage, f.At)
	f.Reports = append(f.Reports, st.Reports(f.Type, &u, usage, becauseEnd, f.At)...)
}
