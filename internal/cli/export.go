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

  csv         a line for each figure of each trial
  junit       JUnit XML: thresholds, behaviour cases, and the trials that are not valid
  prometheus  text for node_exporter's textfile collector: medians, in base units
  influx      InfluxDB's line protocol: a point for each trial
  otlp        sent to OpenTelemetry's collector at otlp=ADDRESS, by OTLP over HTTP: a point
              for each trial. Without an address OTEL_EXPORTER_OTLP_ENDPOINT names it`,
		Example: `  upflab export results/20261121-015423-load-latency > figures.csv
  upflab export results/20261121-015423-load-latency --format influx | influx write --bucket upf
  upflab export results/20261121-015423-load-latency --format otlp=http://127.0.0.1:4318`,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := parseOutput(format)
			if err == nil && o.write != nil && o.to != "" {
				err = fmt.Errorf("--format %s: it is written to standard output", format)
			}
			if err != nil {
				return usageError{c, err}
			}
			r, err := loadResult(args[0])
			if err != nil {
				return err
			}
			return o.into(c.Context(), c.OutOrStdout(), r)
		},
	}
	c.Flags().StringVar(&format, "format", format, "`FORMAT` of the output: "+outputNames)
	return c
}
