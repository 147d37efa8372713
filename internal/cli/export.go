package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/atomicfile"
	"github.com/upflab/upflab/internal/export"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/render/junit"
	"github.com/upflab/upflab/internal/store"
)

// outputs are the formats of --output and export, with the files they have in the folder
// of a result.
func outputs() map[string]string {
	return map[string]string{"csv": "figures.csv", "prometheus": "metrics.prom", "influx": "figures.influx", "junit": junitFile}
}

const outputNames = "csv, junit, prometheus or influx"

func newExport() *cobra.Command {
	format := "csv"
	c := &cobra.Command{
		Use: "export DIR", Args: cobra.ExactArgs(1),
		Short: "Write a result for other programs: CSV, JUnit XML, Prometheus, InfluxDB",
		Long: `Write the figures of the result in DIR, the folder of a run or its result.json, to
standard output: every figure of "upflab scenario figures" that it has.

  csv         a line for each figure of each trial
  junit       JUnit XML: thresholds, behaviour cases, and the trials that are not valid
  prometheus  text for node_exporter's textfile collector: medians, in base units
  influx      InfluxDB's line protocol: a point for each trial`,
		Example: `  upflab export results/20261121-015423-load-latency > figures.csv
  upflab export results/20261121-015423-load-latency --format influx | influx write --bucket upf`,
		RunE: func(c *cobra.Command, args []string) error {
			write, err := outputIn(format)
			if err != nil {
				return usageError{c, err}
			}
			r, err := store.Load(args[0])
			if err != nil {
				return err
			}
			return write(c.OutOrStdout(), r)
		},
	}
	c.Flags().StringVar(&format, "format", format, outputNames)
	return c
}

func outputIn(format string) (export.Writer, error) {
	if format == "junit" {
		return junit.Write, nil
	}
	write, err := export.In(format)
	if err != nil {
		return nil, fmt.Errorf("unknown format %q: it is %s", format, outputNames)
	}
	return write, nil
}

// checkOutputs refuses an --output before the run.
func checkOutputs(list []string) error {
	for _, text := range list {
		format, path, given := strings.Cut(text, "=")
		if _, err := outputIn(format); err != nil {
			return configError{fmt.Errorf("--output %s: %w", text, err)}
		}
		if given && path == "" {
			return configError{fmt.Errorf("--output %s: the file is missing: write FORMAT or FORMAT=FILE", text)}
		}
	}
	return nil
}

// writeOutputs writes what --output asks for: FORMAT into the folder of the result, or
// FORMAT=FILE.
func writeOutputs(list []string, dir string, r *record.Result) error {
	for _, text := range list {
		format, path, given := strings.Cut(text, "=")
		if !given {
			path = filepath.Join(dir, outputs()[format])
		}
		write, err := outputIn(format)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := write(&b, r); err != nil {
			return fmt.Errorf("--output %s: %w", text, err)
		}
		if err := atomicfile.Write(path, b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("--output %s: %w", text, err)
		}
	}
	return nil
}
