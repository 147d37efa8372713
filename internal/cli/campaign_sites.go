package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/fleet/matrix"
	"github.com/upflab/upflab/internal/fleet/sshagent"
)

var errNoReason = errors.New("it gave no reason")

// withSites does something while each site of a campaign has an agent, started and taken away
// by ssh. hub is the hub's address where it is not that of the passes.
func withSites(c *cobra.Command, f *matrix.File, hub string, do func() error) error {
	ctx, stop := context.WithCancel(c.Context())
	var agents sync.WaitGroup
	said := &sync.Mutex{}
	for _, s := range f.Sites {
		agents.Go(func() {
			out := &prefixed{to: c.ErrOrStderr(), prefix: s.SSH + ": ", turn: said}
			switch err := sshagent.Run(ctx, siteConfig(s, hub, out)); {
			case ctx.Err() == nil:
				fmt.Fprintf(out, "the agent has ended, and other testbeds do its jobs: %v\n", cmp.Or(err, errNoReason))
			case err != nil:
				fmt.Fprintln(out, err)
			}
		})
	}
	err := do()
	stop()
	agents.Wait()
	return err
}

func siteConfig(s matrix.Site, hub string, out io.Writer) sshagent.Config {
	var args []string
	if hub != "" {
		args = append(args, "--hub", hub)
	}
	for _, u := range s.UPFs {
		args = append(args, "--upf", u)
	}
	return sshagent.Config{Host: s.SSH, Command: strings.Fields(os.Getenv("UPFLAB_SSH")), Program: self(), Pass: s.Pass, Args: args, Out: out}
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
