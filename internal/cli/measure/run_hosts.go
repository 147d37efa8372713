package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/hosts"
)

// hostsFlags are those of a run over several hosts.
type hostsFlags struct {
	access  flags.Hub
	testbed string
}

func (f *hostsFlags) add(c *cobra.Command) {
	f.access.Add(c)
	c.Flags().StringVar(&f.testbed, "testbed", "", "`NAME` of this host among the others")
	for _, name := range []string{"hub", "nats", "creds", "nkey", "ca", "cert", "key", "testbed"} {
		_ = c.Flags().MarkHidden(name) // upflab agent sets them
	}
	c.Flags().Lookup("pass").Usage = "with hosts: `FILE` that `upflab hub` made; default: $" + flags.PassVariable
}

// open asks the hosts of a scenario to take part. nil: there are none.
func (f *hostsFlags) open(ctx context.Context, s *scenario.Scenario) (*hosts.Session, func() error, error) {
	if s.Hosts == nil {
		return nil, func() error { return nil }, nil
	}
	access, err := f.access.Reach(f.testbed)
	if err != nil {
		return nil, nil, fmt.Errorf("reach the hosts of the measurement: %w", err)
	}
	parts, err := fleet.OpenParts(access)
	if err != nil {
		return nil, nil, err
	}
	ports, sink := s.Hosts.Ports()
	var generators []hosts.Member
	for _, p := range ports {
		generators = append(generators, hosts.Member(p))
	}
	if f.testbed == "" {
		f.testbed = access.Name
	}
	h, err := hosts.Open(ctx, parts, f.testbed, generators, hosts.Member(sink))
	if err != nil {
		parts.Close()
		return nil, nil, err
	}
	return h, func() error {
		defer parts.Close()
		return errors.Join(h.Close())
	}, nil
}
