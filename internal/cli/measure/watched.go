package measure

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/live"
	"github.com/upflab/upflab/internal/serve/pages"
)

// watched carries a plan out and writes down how it goes; with a page of its own where that
// is asked, and without a word where it is to be quiet.
func watched(c *cobra.Command, page, quiet bool, metrics net.Listener, job *campaign.Job, r *record.Result) error {
	shown := newProgress(c.ErrOrStderr(), job.Trials(), len(job.Scenario.PacketSizes()) > 1)
	shown.takes = job.Outline().Takes
	var to watch.Observer = shown
	if quiet {
		to = watch.Silent{}
	}
	o := live.Watch(job.Dir, job.Scenario.Name, job.Trials(), to)
	if page {
		closePage, err := openPage(c, job.Dir)
		if err != nil { // the run matters more
			fmt.Fprintf(c.ErrOrStderr(), "warning: the run cannot be shown in a browser: %v\n", err)
		} else {
			defer closePage()
		}
	}
	observer, closeMetrics := serveMetrics(c.ErrOrStderr(), metrics, job, o)
	defer closeMetrics()
	err := campaign.Run(c.Context(), job, observer, r)
	why := ""
	switch {
	case exit.Interrupted(err):
		why = "interrupted"
	case err != nil:
		why = err.Error()
	}
	o.Close(why)
	return err
}

// openPage serves the folder of one run on loopback, at the address of upflab serve where
// that is free.
func openPage(c *cobra.Command, dir string) (closePage func(), err error) {
	x, err := history.OpenInMemory(dir)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:8480")
	if err != nil {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(c.Context())
	fmt.Fprintf(c.ErrOrStderr(), "watch it at http://%s/live/\n", listener.Addr())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pages.Serve(ctx, listener, pages.New(x, pages.Options{Loopback: true})) // it ends with the run
	}()
	return func() { cancel(); <-ended }, nil
}
