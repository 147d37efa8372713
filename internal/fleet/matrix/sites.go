package matrix

import (
	"fmt"
	"path/filepath"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/sshagent"
)

// Site is a host that ssh reaches, which has an agent for as long as the campaign's results
// are collected.
type Site struct {
	// SSH is the host, as ssh takes it; there as root, or by sudo without a password.
	SSH string `yaml:"ssh"`
	// Pass is the file with the pass of the agent, in the folder of the campaign.
	Pass string `yaml:"pass"`
	// UPFs are versions of a UPF, NAME@VERSION=PROGRAM.
	UPFs []string `yaml:"upf"`
	// Allow is what jobs may use of the host, as `upflab agent --allow` takes it.
	Allow fleet.Policy `yaml:"allow"`
}

// checkSites makes the passes' paths those of files, which have to be passes.
func (f *File) checkSites() error {
	used := map[string]bool{}
	for i := range f.Sites {
		s := &f.Sites[i]
		if s.SSH == "" || s.Pass == "" {
			return fmt.Errorf("sites: each has ssh, the host, and pass, a file of `upflab hub add`")
		}
		if err := sshagent.CheckHost(s.SSH); err != nil {
			return fmt.Errorf("sites: ssh: %w", err)
		}
		if !filepath.IsAbs(s.Pass) {
			s.Pass = filepath.Join(f.dir, s.Pass)
		}
		if _, err := fleet.ReadPass(s.Pass); err != nil {
			return fmt.Errorf("sites: %s: %w", s.SSH, err)
		}
		if err := s.Allow.Check(); err != nil {
			return fmt.Errorf("sites: %s: %w", s.SSH, err)
		}
		if used[s.Pass] {
			return fmt.Errorf("sites: %s is the pass of two hosts: make one for each by `upflab hub add`", s.Pass)
		}
		used[s.Pass] = true
	}
	return nil
}
