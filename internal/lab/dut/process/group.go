package process

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/text/units"
)

// Part is one program of a UPF that has several.
type Part struct {
	Name string // for messages: "bessd"
	Spec Spec   // its Site is the group's
	// Once marks a program that does something and ends, with status 0, before the
	// next part starts.
	Once bool
	// Ready tells, by nil, that the next part can start. It is asked every 20 ms,
	// of a part that is there Once when it has ended. Nil: at once.
	Ready func() error
	// Within is how long it may take to be ready, or to end; 0: 15 s.
	Within time.Duration
}

// GroupSpec is a UPF of several programs.
type GroupSpec struct {
	Site  site.Site
	Parts []Part // in the order of their start
	// PIDNamespace gives all of them one PID namespace of their own. Containers have one each.
	PIDNamespace bool
	Dir          string // for the logs of what upflab adds
}

// Group is a UPF of several running programs. The end of any of them, but for
// those that are there Once, is the UPF's end.
type Group struct {
	parts  []running // in the order of their start
	logs   []string
	exited chan struct{}
	once   sync.Once
	dead   running // valid when exited is closed
}

type running struct {
	*Process
	name string
}

const readyWithin = 15 * time.Second

// StartGroup starts the parts one after another. On error none is left.
func StartGroup(ctx context.Context, s GroupSpec) (*Group, error) {
	if r, is := s.Site.(Recorder); is {
		return nil, r.Record(s.Parts, s.PIDNamespace)
	}
	g := &Group{exited: make(chan struct{})}
	var first *Process
	if s.PIDNamespace {
		var err error
		if first, err = g.add(Part{Name: "init", Spec: holder(s)}, nil); err != nil {
			return nil, err
		}
	}
	for _, part := range s.Parts {
		part.Spec.Site = s.Site
		if err := g.start(ctx, part, first); err != nil {
			return nil, errors.Join(err, g.Stop())
		}
	}
	return g, nil
}

// holder is process 1 of the group's PID namespace: it takes in what others leave
// and ends when it is asked.
func holder(s GroupSpec) Spec {
	const script = `trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done`
	return Spec{Site: s.Site, Args: []string{"/bin/sh", "-c", script}, PIDNamespace: true, Log: filepath.Join(s.Dir, "init.log")}
}

func (g *Group) add(part Part, first *Process) (*Process, error) {
	part.Spec.join, part.Spec.once = first, part.Once
	p, err := Start(part.Spec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", part.Name, err)
	}
	r := running{p, part.Name}
	g.parts, g.logs = append(g.parts, r), append(g.logs, p.log.path)
	if !part.Once {
		go g.watch(r)
	}
	return p, nil
}

// watch notices the end of a part.
func (g *Group) watch(r running) {
	<-r.Process.Exited()
	g.once.Do(func() {
		g.dead = r
		close(g.exited)
	})
}

// start starts a part and waits until it is ready, or has ended.
func (g *Group) start(ctx context.Context, part Part, first *Process) error {
	p, err := g.add(part, first)
	if err != nil {
		return err
	}
	within := part.Within
	if within == 0 {
		within = readyWithin
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if part.Once {
		if err := g.finish(ctx, running{p, part.Name}, within); err != nil {
			return err
		}
	}
	if part.Ready == nil {
		return nil
	}
	if err := g.until(ctx, part.Ready); err != nil {
		return fmt.Errorf("%s was not ready within %v: %w; it last said: %q", part.Name, within, err, units.LastLine(p.LogTail()))
	}
	return nil
}

// finish waits for a part that ends by itself, and forgets it.
func (g *Group) finish(ctx context.Context, r running, within time.Duration) error {
	select {
	case <-r.Process.Exited():
	case <-g.exited:
		return g.death()
	case <-ctx.Done():
		return dut.Late(fmt.Errorf("%s has not ended within %v; it last said: %q", r.name, within, units.LastLine(r.LogTail())))
	}
	if !r.cmd.ProcessState.Success() {
		return fmt.Errorf("%s: %s; it last said: %q", r.name, r.Process.Status(), units.LastLine(r.LogTail()))
	}
	g.parts = slices.DeleteFunc(g.parts, func(x running) bool { return x.Process == r.Process })
	return r.Stop()
}

// until asks until ready says nil, the time is over, or a part has ended.
func (g *Group) until(ctx context.Context, ready func() error) error {
	const pause = 20 * time.Millisecond
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-g.exited:
			return g.death()
		case <-ctx.Done():
			return dut.Late(err)
		case <-time.After(pause):
		}
	}
}

func (g *Group) death() error {
	return fmt.Errorf("%s; it last said: %q", g.Status(), units.LastLine(g.dead.LogTail()))
}

// PIDs of the parts, in the order of their start.
func (g *Group) PIDs() (pids []int) {
	for _, p := range g.parts {
		pids = append(pids, p.Process.PIDs()...)
	}
	return pids
}

// PID of the program of that name; 0 when none runs.
func (g *Group) PID(part string) int {
	for _, p := range g.parts {
		if p.name == part {
			return p.Process.PIDs()[0]
		}
	}
	return 0
}

// Exited is closed when one of the parts has ended.
func (g *Group) Exited() <-chan struct{} { return g.exited }

// Status tells which part ended first, and how, once one has.
func (g *Group) Status() string {
	if g.dead.Process == nil {
		return "" // ended by Stop
	}
	return g.dead.name + ": " + g.dead.Process.Status()
}

// LogTail is the end of the log of the part that ended first, or of each.
func (g *Group) LogTail() string {
	select {
	case <-g.exited:
		return g.dead.LogTail()
	default:
	}
	var b strings.Builder
	for _, p := range g.parts {
		if tail := strings.TrimSpace(p.LogTail()); tail != "" {
			const most = 1000
			fmt.Fprintf(&b, "%s:\n%s\n", p.name, tail[max(0, len(tail)-most):])
		}
	}
	return b.String()
}

// Logs are the files of the parts' output, also of those that are over.
func (g *Group) Logs() []string { return slices.Clone(g.logs) }

// Stop ends the parts, the last one first.
func (g *Group) Stop() error {
	g.once.Do(func() {}) // their ends are our doing
	var errs []error
	for _, p := range slices.Backward(g.parts) {
		errs = append(errs, p.Stop())
	}
	return errors.Join(errs...)
}
