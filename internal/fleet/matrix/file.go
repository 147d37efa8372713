// Package matrix makes jobs of a campaign's file: one for each combination of what is
// varied, and each repeat.
package matrix

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/plainyaml"
	"github.com/upflab/upflab/internal/text/safefile"
)

// File is a campaign as its file says.
type File struct {
	Campaign string `yaml:"campaign"`
	// Scenario names a built-in scenario or a file in the folder of the campaign.
	Scenario string `yaml:"scenario"`
	// Set are settings of the scenario for all jobs, KEY=VALUE.
	Set []string `yaml:"set"`
	// Matrix is what is varied: "dut", and settings of the scenario by their keys. A
	// list as one of the values of dut is measured within one run.
	Matrix yaml.MapSlice `yaml:"matrix"`
	// Repeats is how often each combination is measured, in a run of its own.
	Repeats int `yaml:"repeats"`
	// Testbeds are the only ones that may be used; none: all.
	Testbeds []string `yaml:"testbeds"`
	// Sites are hosts that have an agent meanwhile, by ssh.
	Sites []Site `yaml:"sites"`
	// Attempts is how often a job is begun before it is given up.
	Attempts int `yaml:"attempts"`
	// Limit is how long a job may take.
	Limit string `yaml:"limit"`
	// Pcap is how many packets of each hop are captured.
	Pcap int `yaml:"pcap"`
	// AnyVersion lets agents of other versions of upflab take part.
	AnyVersion bool `yaml:"any_version"`

	dir string // of the file
}

const (
	defaultAttempts = 3
	defaultLimit    = time.Hour
)

// Read reads a campaign's file.
func Read(path string) (*File, error) {
	data, err := safefile.Read(path, plainyaml.Small)
	if err != nil {
		return nil, fmt.Errorf("read the campaign: %w", err)
	}
	f := &File{Repeats: 1, Attempts: defaultAttempts, Limit: defaultLimit.String(), dir: filepath.Dir(path)}
	if err := plainyaml.Unmarshal(data, plainyaml.Small, f, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %s", path, yaml.FormatError(err, false, true))
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func (f *File) check() error {
	switch {
	case f.Campaign == "":
		return errors.New("campaign: a name is missing; results are kept under it")
	case !fleet.GoodName(f.Campaign):
		return fmt.Errorf("campaign: %q is no name: letters, digits, - and _, 63 at most", f.Campaign)
	case f.Scenario == "":
		return errors.New("scenario: name a built-in one (`upflab scenario list`) or a .yaml file")
	case f.Attempts > fleet.MaxAttempts:
		return fmt.Errorf("attempts: %d; a job is begun %d times at most", f.Attempts, fleet.MaxAttempts)
	case f.Repeats < 1 || f.Attempts < 1:
		return errors.New("repeats and attempts are 1 or more")
	case f.Pcap < 0:
		return fmt.Errorf("pcap: %d; give how many packets of each hop are captured, or 0 for none", f.Pcap)
	}
	for _, t := range f.Testbeds {
		if !fleet.GoodName(t) {
			return fmt.Errorf("testbeds: %q is no name of a testbed", t)
		}
	}
	if d, err := time.ParseDuration(f.Limit); err != nil || d <= 0 {
		return fmt.Errorf("limit: %q is no duration, as in 30m", f.Limit)
	}
	return f.checkSites()
}
