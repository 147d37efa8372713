package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/export"
	"github.com/upflab/upflab/internal/report/export/otlp"
	"github.com/upflab/upflab/internal/report/render/junit"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

const outputNames = "csv, junit, prometheus, influx or otlp"

// output is what --output asks for: FORMAT into the folder of the result, FORMAT=FILE, or
// otlp[=ADDRESS].
type output struct {
	format, to string
	write      export.Writer // nil: it is sent, to an address
}

func parseOutput(text string) (o output, err error) {
	format, to, given := strings.Cut(text, "=")
	o = output{format: format, to: to}
	switch format {
	case "otlp":
		o.to, err = otlp.Address(to)
	case "junit":
		o.write = junit.Write
	default:
		if o.write, err = export.In(format); err != nil {
			return o, fmt.Errorf("unknown format %q: it is %s", format, outputNames)
		}
	}
	if given && to == "" {
		return o, fmt.Errorf("nothing is behind %s=: write FORMAT, FORMAT=FILE or otlp=ADDRESS", format)
	}
	return o, err
}

// checkOutputs refuses an --output before the run.
func checkOutputs(list []string) error {
	for _, text := range list {
		o, err := parseOutput(text)
		if err == nil {
			err = o.check()
		}
		if err != nil {
			return configError{fmt.Errorf("--output %s: %w", text, err)}
		}
	}
	return nil
}

// file is what it has in the folder of a result.
func (o output) file() string {
	return map[string]string{"csv": "figures.csv", "prometheus": "metrics.prom", "influx": "figures.influx", "junit": junitFile}[o.format]
}

// place is where it goes, for people.
func (o output) place() string {
	switch {
	case o.write == nil && o.to == "":
		return "OpenTelemetry's collector, as OTEL_EXPORTER_OTLP_ENDPOINT says (not in the folder)"
	case o.to != "":
		return o.to + " (not in the folder)"
	}
	return o.file()
}

// into writes a result to w, or sends it.
func (o output) into(ctx context.Context, w io.Writer, r *record.Result) error {
	if o.write == nil {
		if err := otlp.Send(ctx, o.to, r); err != nil {
			return fmt.Errorf("%w; `upflab export` sends the result again", err)
		}
		return nil
	}
	return o.write(w, r)
}

// writeOutputs writes what --output asks for, also when the run was interrupted.
func writeOutputs(ctx context.Context, list []string, dir string, r *record.Result) error {
	for _, text := range list {
		o, err := parseOutput(text)
		var b bytes.Buffer
		if err == nil {
			err = o.into(context.WithoutCancel(ctx), &b, r)
		}
		if err == nil && o.write != nil {
			path := o.to
			if path == "" {
				path = filepath.Join(dir, o.file())
			}
			err = atomicfile.Write(path, b.Bytes(), 0o644)
		}
		if err != nil {
			return fmt.Errorf("--output %s: %w", text, err)
		}
	}
	return nil
}

// junitFile is what CI systems read.
const junitFile = "junit.xml"

func writeJUnit(path string, r *record.Result) error {
	var b bytes.Buffer
	if err := junit.Write(&b, r); err != nil {
		return err
	}
	return atomicfile.Write(path, b.Bytes(), 0o644)
}
