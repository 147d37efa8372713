package memory

import (
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Session returns a copy of the rules in force for a session, nil when there are none.
func (d *Datapath) Session(seid uint64) *session.Rules {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state.sessions[seid].Rules()
}

// Len returns the number of sessions.
func (d *Datapath) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.state.sessions)
}

// Fail makes every later Apply return err and change nothing; nil ends that.
func (d *Datapath) Fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = err
}

// SetCounters sets what Counters returns.
func (d *Datapath) SetCounters(c datapath.Counters) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counters = c
}

// Closed reports whether Close was called.
func (d *Datapath) Closed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

// OnNotice sets the callback for packets that a router has to answer.
func (d *Datapath) OnNotice(f func(datapath.Notice)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notice = f
}

// Notice hands a packet on that a router has to answer, as if it had come.
func (d *Datapath) Notice(n datapath.Notice) {
	d.mu.Lock()
	f := d.notice
	d.mu.Unlock()
	f(n)
}
