// Package outputs has what commands write of a result: its folder, and the formats of --output and `upflab export`.
package outputs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/junit"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

// Output is what --output asks for: FORMAT into the folder of the result, FORMAT=FILE, or
// FORMAT=ADDRESS of one that is sent.
type Output struct {
	format
	To string
}

// Parse reads a value of --output.
func Parse(text string) (o Output, err error) {
	name, to, given := strings.Cut(text, "=")
	f, err := formatNamed(name)
	if err != nil {
		return o, err
	}
	if given && to == "" {
		return o, fmt.Errorf("nothing is behind %s=: write FORMAT, FORMAT=FILE or otlp=ADDRESS", name)
	}
	if f.Sent() {
		to, err = f.address(to)
	}
	return Output{format: f, To: to}, err
}

// Check refuses an --output before the run.
func Check(list []string) error {
	for _, text := range list {
		o, err := Parse(text)
		if err == nil {
			err = o.check()
		}
		if err != nil {
			return exit.WrongConfig(fmt.Errorf("--output %s: %w", text, err))
		}
	}
	return nil
}

// Place is where it goes, for people.
func (o Output) Place() string {
	switch {
	case o.Sent() && o.To == "":
		return "OpenTelemetry's collector, as OTEL_EXPORTER_OTLP_ENDPOINT says (not in the folder)"
	case o.To != "":
		return o.To + " (not in the folder)"
	}
	return o.file
}

// Into writes a result to w, or sends it.
func (o Output) Into(ctx context.Context, w io.Writer, r *record.Result) error {
	if !o.Sent() {
		return o.write(w, r)
	}
	if err := o.send(ctx, o.To, r); err != nil {
		return fmt.Errorf("%w; `upflab export` sends the result again", err)
	}
	return nil
}

// Write writes what --output asks for, also when the run was interrupted.
func Write(ctx context.Context, list []string, dir string, r *record.Result) error {
	for _, text := range list {
		o, err := Parse(text)
		var b bytes.Buffer
		if err == nil {
			err = o.Into(context.WithoutCancel(ctx), &b, r)
		}
		if err == nil && !o.Sent() {
			path := o.To
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

// JUnitFile is what CI systems read.
const JUnitFile = "junit.xml"

// WriteJUnit writes a result as JUnit XML.
func WriteJUnit(path string, r *record.Result) error {
	var b bytes.Buffer
	if err := junit.Write(&b, r); err != nil {
		return err
	}
	return atomicfile.Write(path, b.Bytes(), 0o644)
}
