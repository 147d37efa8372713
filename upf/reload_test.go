package upf

import (
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath/memory"
)

func TestReload(t *testing.T) {
	u, stop := start(t, memory.New(0))
	defer stop()
	setUp := []byte{0x20, 5, 0, 21, 0, 0, 9, 0, 0, 60, 0, 5, 0, 127, 83, 7, 1, 0, 96, 0, 4, 0, 0, 0, 1}
	const accepted, rejected = 1, 64
	cause := func(answer []byte) byte { return answer[8+4+5+4] } // after Node ID
	if got := cause(ask(t, "127.83.7.8:8805", setUp)); got != accepted {
		t.Fatalf("set-up answered with cause %d", got)
	}
	cfg := u.config()
	cfg.N4.SMFs, cfg.MaxSessions, cfg.Heartbeat.Interval = prefixes("10.0.0.0/8"), 7, time.Minute
	now, restart := u.Reload(cfg)
	if !slices.Equal(now, []string{"n4.smfs", "heartbeat"}) || !slices.Equal(restart, []string{"max_sessions"}) {
		t.Errorf("changed now %v, after a restart %v", now, restart)
	}
	setUp[6]++ // another sequence number
	if got := cause(ask(t, "127.83.7.8:8805", setUp)); got != rejected {
		t.Errorf("a set-up from outside of n4.smfs is answered with cause %d", got)
	}
	if c := getCounters(t); c.PFCP.Associations != 1 {
		t.Errorf("%d associations, want the one that was there", c.PFCP.Associations)
	}
	if now, restart = u.Reload(cfg); len(now) != 0 || !slices.Equal(restart, []string{"max_sessions"}) {
		t.Errorf("again: changed now %v, after a restart %v", now, restart)
	}
}
