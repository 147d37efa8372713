package drivers

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// Builds are several builds of one UPF as targets, with the references before them. Each
// is given as NAME=PROGRAM; the driver finds the program by the variable, or, when that is
// empty, by the UPF's own, as UPFLAB_EUPF.
func Builds(name, variable string, builds []string, s *scenario.Scenario, version string) ([]dut.Target, error) {
	of, err := Find(name, version)
	if err != nil {
		return nil, err
	}
	info := of.Driver.Info()
	if of.Way != nil && of.Way.Info().Name == "container" {
		return nil, wrong("--build: a container's program is in its image; give both builds as programs, without containers")
	}
	if info.External || s.External != nil || s.RAN == scenario.RANExternal {
		return nil, wrong("--build: upflab does not start %s, and cannot change its program", info.Name)
	}
	if slices.Contains(references(s), info.Name) {
		return nil, wrong("--build: %s is no UPF", info.Name)
	}
	if variable == "" {
		variable = dut.Variable(info)
	}
	targets, err := References(s, version)
	if err != nil {
		return nil, err
	}
	for _, text := range builds {
		t, err := build(of, variable, text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(targets, func(have dut.Target) bool { return have.Label() == t.Label() }) {
			return nil, wrong("--build %s: there is another build of that name", text)
		}
		targets = append(targets, t)
	}
	return targets, nil
}

var buildName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// build reads NAME=PROGRAM. A program in a folder is looked for from where upflab runs.
func build(of dut.Target, variable, text string) (dut.Target, error) {
	name, value, given := strings.Cut(text, "=")
	if !given || !buildName.MatchString(name) || strings.TrimSpace(value) == "" {
		return dut.Target{}, wrong("--build %s: write NAME=PROGRAM, as in old=./eupf-main; a name has letters, digits, '.', '_' and '-'", text)
	}
	if filepath.Base(value) != value && !strings.ContainsAny(value, " :") {
		if whole, err := filepath.Abs(value); err == nil {
			value = whole
		}
	}
	t, err := of.Built(name, variable, value)
	if err != nil {
		return t, wrong("--build %s: %v", text, without(value, err))
	}
	return t, nil
}

// without is what is wrong with a program, without its name, which the user has just given.
func without(program string, err error) error {
	var file *fs.PathError
	var command *exec.Error
	switch {
	case errors.As(err, &file) && file.Path == program:
		return file.Err
	case errors.As(err, &command) && command.Name == program:
		return command.Err
	}
	return err
}
