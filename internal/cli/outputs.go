package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/junit"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

// output is what --output asks for: FORMAT into the folder of the result, FORMAT=FILE, or
// FORMAT=ADDRESS of one that is sent.
type output struct {
	format
	to string
}

func parseOutput(text string) (o output, err error) {
	name, to, given := strings.Cut(text, "=")
	f, err := formatNamed(name)
	if err != nil {
		return o, err
	}
	if given && to == "" {
		return o, fmt.Errorf("nothing is behind %s=: write FORMAT, FORMAT=FILE or otlp=ADDRESS", name)
	}
	if f.sent() {
		to, err = f.address(to)
	}
	return output{format: f, to: to}, err
}

// checkOutputs refuses an --output before the run.
func checkOutputs(list []string) error {
	for _, text := range list {
		o, err := parseOutput(text)
		if err == nil {
			err = o.check()
		}
		if err != nil {
			return wrongConfig(fmt.Errorf("--output %s: %w", text, err))
		}
	}
	return nil
}

// place is where it goes, for people.
func (o output) place() string {
	switch {
	case o.sent() && o.to == "":
		return "OpenTelemetry's collector, as OTEL_EXPORTER_OTLP_ENDPOINT says (not in the folder)"
	case o.to != "":
		return o.to + " (not in the folder)"
	}
	return o.file
}

// into writes a result to w, or sends it.
func (o output) into(ctx context.Context, w io.Writer, r *record.Result) error {
	if !o.sent() {
		return o.write(w, r)
	}
	if err := o.send(ctx, o.to, r); err != nil {
		return fmt.Errorf("%w; `upflab export` sends the result again", err)
	}
	return nil
}

// writeOutputs writes what --output asks for, also when the run was interrupted.
func writeOutputs(ctx context.Context, list []string, dir string, r *record.Result) error {
	for _, text := range list {
		o, err := parseOutput(text)
		var b bytes.Buffer
		if err == nil {
			err = o.into(context.WithoutCancel(ctx), &b, r)
		}
		if err == nil && !o.sent() {
			path := o.to
			if path == "" {
				path = filepath.Join(dir, o.file)
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
