package read

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/cli/outputs"
)

func newExport() *cobra.Command {
	format := "csv"
	c := &cobra.Command{
		Use: "export DIR", Args: cobra.ExactArgs(1),
		Short: "Write a result for other programs: CSV, JUnit XML, Prometheus, InfluxDB, OpenTelemetry",
		Long: `Write the figures of the result in DIR, the folder of a run or its result.json, to
standard output: every figure of "upflab scenario figures" that it has.
` + outputs.Help(),
		Example: `  upflab export results/20261121-015423-load-latency > figures.csv
  upflab export results/20261121-015423-load-latency --format influx | influx write --bucket upf
  upflab export results/20261121-015423-load-latency --format otlp=http://127.0.0.1:4318`,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := outputs.Parse(format)
			if err == nil && !o.Sent() && o.To != "" {
				err = fmt.Errorf("--format %s: it is written to standard output", format)
			}
			if err != nil {
				return exit.WrongUsage(c, err)
			}
			r, err := inputs.LoadResult(args[0])
			if err != nil {
				return err
			}
			return o.Into(c.Context(), c.OutOrStdout(), r)
		},
	}
	c.Flags().StringVar(&format, "format", format, "`FORMAT` of the output: "+outputs.Forms())
	return c
}
