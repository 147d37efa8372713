package cli

import (
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/benchmark"
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/dut/builtin"
	"github.com/upflab/upflab/internal/dut/wire"
)

func newBench() *cobra.Command {
	return &cobra.Command{
		Use: "bench", Short: "Measure upflab itself: how fast and how exact the bench is on this machine", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return bench(c) },
	}
}

func bench(c *cobra.Command) error {
	if err := ready(c); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "upflab-bench-")
	if err != nil {
		return fmt.Errorf("make a folder for logs: %w", err)
	}
	defer os.RemoveAll(dir)
	version := tool().Version
	b := &benchmark.Bench{
		Wire:    dut.Target{Driver: wire.Driver{Version: version}},
		Builtin: dut.Target{Driver: builtin.Driver{Version: version}, Mode: "xdp"},
		Dir:     dir, Begin: begin,
		Say: func(what string) { fmt.Fprintln(c.ErrOrStderr(), "measuring", what) },
	}
	rows, failed := b.All(c.Context())
	w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	missed := 0
	for _, r := range rows {
		verdict := "ok"
		if !r.OK {
			verdict = "MISSED"
			missed++
		}
		if r.Target == "" {
			verdict = ""
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.What, r.Value, r.Target, verdict)
	}
	if err := errors.Join(failed, w.Flush()); err != nil {
		return err
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d figures missed their target: is the machine busy?", missed, len(rows))
	}
	return nil
}
