package fleet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/fleet/matrix"
	"github.com/upflab/upflab/internal/fleet/sshagent"
)

// withSites does something while each site of a campaign has an agent, started and taken away
// by ssh. hub is the hub's address where it is not that of the passes.
func withSites(c *cobra.Command, f *matrix.File, hub string, do func() error) error {
	ctx, stop := context.WithCancel(c.Context())
	var agents sync.WaitGroup
	said := &sync.Mutex{}
	for _, s := range f.Sites {
		agents.Go(func() {
			out := &prefixed{to: c.ErrOrStderr(), prefix: s.SSH + ": ", turn: said}
			agent := agentFlags{access: flags.Hub{Pass: s.Pass, Address: hub}, ssh: s.SSH, upfs: s.UPFs, allow: s.Allow, minFree: minFreeMB}
			if err := sshagent.Run(ctx, agent.elsewhere(out)); err != nil {
				fmt.Fprintln(out, err)
			}
			if ctx.Err() == nil {
				fmt.Fprintln(out, "the agent has ended: other testbeds do its jobs")
			}
		})
	}
	err := do()
	stop()
	agents.Wait()
	return err
}

// prefixed writes whole lines, each with a prefix, taking turns with others.
type prefixed struct {
	to     io.Writer
	prefix string
	turn   *sync.Mutex
	begun  []byte
}

func (p *prefixed) Write(b []byte) (int, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.begun = append(p.begun, b...)
	for {
		line, rest, whole := bytes.Cut(p.begun, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		if _, err := fmt.Fprintf(p.to, "%s%s\n", p.prefix, line); err != nil {
			return 0, err
		}
		p.begun = rest
	}
}
