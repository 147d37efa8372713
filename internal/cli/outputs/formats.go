package outputs

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/export"
	"github.com/upflab/upflab/internal/report/export/otlp"
	"github.com/upflab/upflab/internal/report/render/junit"
)

// format is a way in which a result goes to other programs. It is written, to a file or to standard
// output, or sent to an address.
type format struct {
	name, help string // help is one line of `upflab export --help`, or several
	file       string // what --output writes in the folder of the result
	write      func(io.Writer, *record.Result) error

	address func(string) (string, error) // checks an address, and has one for ""
	send    func(ctx context.Context, address string, r *record.Result) error
}

// formats are all of them: flags, help, completion, dry runs and errors read this table, and a test asks
// docs/gates.md for each row.
func formats() []format {
	return []format{
		{name: "csv", file: "figures.csv", write: export.CSV, help: "a line for each figure of each trial"},
		{name: "junit", file: JUnitFile, write: junit.Write,
			help: "JUnit XML: thresholds, behaviour cases, and the trials that are not valid"},
		{name: "prometheus", file: "metrics.prom", write: export.Prometheus,
			help: "text for node_exporter's textfile collector: medians, in base units"},
		{name: "influx", file: "figures.influx", write: export.Influx, help: "InfluxDB's line protocol: a point for each trial"},
		{name: "otlp", address: otlp.Address, send: otlp.Send,
			help: "sent to OpenTelemetry's collector at otlp=ADDRESS, by OTLP over HTTP: a point\n" +
				"for each trial. Without an address OTEL_EXPORTER_OTLP_ENDPOINT names it"},
	}
}

// Sent reports whether a result in the format goes to an address.
func (f format) Sent() bool { return f.send != nil }

func formatNamed(name string) (format, error) {
	for _, f := range formats() {
		if f.name == name {
			return f, nil
		}
	}
	return format{}, fmt.Errorf("unknown format %q: it is %s", name, strings.Join(Names(), ", "))
}

// Names are those of the formats.
func Names() (names []string) {
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// Forms are what --output takes, for its help.
func Forms() string {
	var written, sent []string
	for _, f := range formats() {
		if f.Sent() {
			sent = append(sent, f.name+"[=ADDRESS]")
		} else {
			written = append(written, f.name)
		}
	}
	return strings.Join(written, ", ") + ", or " + strings.Join(sent, ", ")
}

// Help has a paragraph for each format.
func Help() string {
	var b strings.Builder
	for _, f := range formats() {
		fmt.Fprintf(&b, "\n  %-11s %s", f.name, strings.ReplaceAll(f.help, "\n", "\n"+strings.Repeat(" ", 14)))
	}
	return b.String()
}
