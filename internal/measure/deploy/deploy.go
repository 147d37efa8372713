// Package deploy writes what upflab configures for a UPF as files and a script, for
// running it on another machine. The UPF's own driver makes all of it, in a testbed of
// upflab's in which then nothing is started: there is no second description of a UPF.
package deploy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/netns"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/scenario"
)

// Request is what is asked for.
type Request struct {
	Target   dut.Target
	Scenario *scenario.Scenario
	Name     string   // of the scenario, as the user gave it
	Sets     []string // the user's settings of it, KEY=VALUE
	CPUs     []int    // of the other machine, for the UPF; at least one
	Version  string   // upflab's
	Dir      string   // for the files; it exists
}

// Files are the names of what is written into the folder.
const (
	ScriptName = "start"
	FilesDir   = "files"
)

// Written is what was written.
type Written struct {
	Files []string // relative to the folder
	// Addresses and Measure are the commands for upflab's own machine.
	Addresses []string
	Measure   string
}

// Write makes the files. It needs root, as a run does, and leaves nothing but the files.
func Write(ctx context.Context, claim *host.Claim, q Request) (w Written, err error) {
	if q.Scenario.TRex != nil {
		return w, errors.New("a UPF's script needs no generator: leave engine: trex and the section trex out")
	}
	if q.Scenario.Transport.IPv6() || q.Scenario.UE.Family.IPv6() || len(q.Scenario.Families) > 0 {
		return w, errors.New("the script sets a UPF up with addresses of IPv4: set transport and ue.family to ipv4")
	}
	testbed, err := bench.OpenSite(claim, q.Target, q.Scenario, bench.Tester{})
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, testbed.Close()) }()
	scratch, err := claim.Scratch()
	if err != nil {
		return w, err
	}
	r, err := record(ctx, q, testbed, scratch)
	if err != nil {
		return w, err
	}
	s := newScript(q, r, scratch)
	if w.Files, err = s.copyFiles(scratch, filepath.Join(q.Dir, FilesDir)); err != nil {
		return w, err
	}
	path := filepath.Join(q.Dir, ScriptName)
	if err := s.write(path); err != nil {
		return w, err
	}
	w.Files = append([]string{ScriptName}, w.Files...)
	w.Addresses, w.Measure = s.Addresses(), s.Measure()
	return w, nil
}

// record lets the driver do all but start its programs.
func record(ctx context.Context, q Request, testbed site.Site, dir string) (*recorder, error) {
	r := &recorder{Site: testbed, settings: netns.Sysctls()}
	i, err := q.Target.Start(ctx, dut.Env{Scenario: q.Scenario, Site: r, CPUs: q.CPUs, Dir: dir, Elsewhere: true})
	switch {
	case errors.Is(err, errRecorded):
		return r, nil
	case err != nil:
		return nil, err
	}
	return nil, errors.Join(fmt.Errorf("%s has no program of its own: there is nothing to take to another machine",
		q.Target.Label()), i.Stop())
}

// writeFile writes a file that is not there yet.
func writeFile(path string, text []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("write a file for the other machine: %w", err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write a file for the other machine: %w", err)
	}
	return nil
}
