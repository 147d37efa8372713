// Package doctor examines what this machine can do for a measurement, and how to get
// what it lacks. It tries what can be tried, in new namespaces, and guesses nothing.
package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Config says what to examine in addition to the machine.
type Config struct {
	DUTs    []dut.Listed // looked for, not started
	Targets []dut.Target // brought up and sent packets through, in this order
}

// exam is an examination under way. Its fields are read once, at the start.
type exam struct {
	config    Config
	root      fs.FS // of the file system
	uid       int   // effective
	host      record.Host
	placement record.Placement
	unplaced  error // why there is no placement
	records   []host.Record
	unread    error // why there are no records
	lab       lab
	busy      []string // what others do on the machine now; none: nothing to speak of
}

// check looks at one thing.
type check func(context.Context, *exam) Finding

// Examine makes all checks and passes each finding on as soon as it is there,
// group by group. It takes some seconds, sends packets only in namespaces that it
// makes and removes, and returns an error when ctx has ended or something could
// not be removed.
func Examine(ctx context.Context, c Config, each func(Finding)) (err error) {
	e := newExam(c)
	defer func() { err = errors.Join(err, e.lab.close()) }()
	for _, g := range e.groups() {
		for _, look := range g.checks {
			f := look(ctx, e)
			if err := ctx.Err(); err != nil {
				return err
			}
			f.Group = g.name
			each(f)
		}
	}
	return nil
}

func newExam(c Config) *exam {
	e := &exam{config: c, root: os.DirFS("/"), uid: os.Geteuid(), host: host.Facts()}
	e.placement, e.unplaced = host.Place(scenario.CPU{Placement: "auto"})
	e.records, e.unread = host.Records()
	return e
}

type group struct {
	name   string
	checks []check
}

func (e *exam) groups() []group {
	groups := []group{
		{"machine", []check{cpus, siblings, memory, clocksource, governor, idle, preemption, steal, otherLoad, mitigations}},
		{"kernel", []check{version, jit, btf, loadProgram, liveFrames, engines, namespaces, vethXDP, threadedNAPI}},
		{"privileges", []check{root, capabilities, lockedMemory, stateFolder}},
		{"bench", nil},
		{"DUTs", nil},
		{"run --site vm", []check{emulator, acceleration, guestKernel}},
		{"leftovers", []check{runs, leftovers}},
	}
	for _, t := range e.config.Targets {
		groups[3].checks = append(groups[3].checks, bench(t))
	}
	for _, d := range e.config.DUTs {
		groups[4].checks = append(groups[4].checks, installed(d))
	}
	return groups
}
