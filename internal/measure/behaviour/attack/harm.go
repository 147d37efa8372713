package attack

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/record"
)

// wellWithin is how long a UPF may take to answer a heartbeat, and to forward, behind
// what was sent to it: it may have a queue to work off.
var wellWithin = n4.Patience{T1: time.Second, Tries: 5}

// harm says what is wrong with the UPF; "": it is well. Whether it forwards is asked only
// where that is wanted.
func (g *target) harm(forwards bool) string {
	if err := g.t.Lab.Alive(); err != nil {
		return err.Error()
	}
	if _, err := g.t.Peer().Ask(g.t.Ctx, g.t.Peer().Heartbeat(), wellWithin); err != nil {
		if gone := g.t.Lab.Alive(); gone != nil {
			return gone.Error()
		}
		if g.t.Ctx.Err() != nil {
			return ""
		}
		return fmt.Sprintf("it answers no heartbeats for %v", wellWithin.T1*time.Duration(wellWithin.Tries))
	}
	if !forwards {
		return ""
	}
	return g.stuck()
}

// stuck says how a UPF does not forward; "": it does.
func (g *target) stuck() string {
	var err error
	for range 3 {
		if err = g.forwards(); err == nil || g.t.Ctx.Err() != nil {
			return ""
		}
		var f *fail.Failure
		if !errors.As(err, &f) || !f.Soft {
			break
		}
		time.Sleep(500 * time.Millisecond) // the pause between two tries
	}
	if gone := g.t.Lab.Alive(); gone != nil {
		return gone.Error()
	}
	return "the session that no input named is not served any more: " + err.Error()
}

// again makes the attacker's association and sessions anew.
func (g *target) again() error {
	for _, s := range g.sessions { // of a UPF that keeps sessions of the association before
		_ = g.peer.Send(g.peer.Delete(s.seid))
	}
	g.sessions = nil
	return g.begin()
}

// varying is what differs between two ends of the same cause: numbers, addresses, times.
var varying = regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9]+`)

// known finds an end like this one; nil: there is none.
func known(list []record.Ended, harm string) *record.Ended {
	key := varying.ReplaceAllString(harm, "#")
	for i := range list {
		if varying.ReplaceAllString(list[i].What, "#") == key {
			return &list[i]
		}
	}
	return nil
}

// numbered is the file of the n-th end.
func numbered(path string, n int) string {
	if n == 1 {
		return path
	}
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ext), n, ext)
}
