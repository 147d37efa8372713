package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newExport() *cobra.Command {
	format := "csv"
	c := &cobra.Command{
		Use: "export DIR", Args: cobra.ExactArgs(1),
		Short: "Write a result for other programs: CSV, JUnit XML, Prometheus, InfluxDB, OpenTelemetry",
		Long: `Write the figures of the result in DIR, the folder of a run or its result.json, to
standard output: every figure of "upflab scenario figures" that it has.
` + formatsHelp(),
		Example: `  upflab export results/20261121-015423-load-latency > figures.csv
  upflab export results/20261121-015423-load-latency --format influx | influx write --bucket upf
  upflab export results/20261121-015423-load-latency --format otlp=http://127.0.0.1:4318`,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := parseOutput(format)
			if err == nil && !o.sent() && o.to != "" {
				err = fmt.Errorf("--format %s: it is written to standard output", format)
			}
			if err != nil {
				return wrongUsage(c, err)
			}
			r, err := loadResult(args[0])
			if err != nil {
				return err
			}
			return o.into(c.Context(), c.OutOrStdout(), r)
		},
	}
	c.Flags().StringVar(&format, "format", format, "`FORMAT` of the output: "+outputForms())
	return c
}
