// Package points reads measurements for a queueing model from CSV, anybody's.
//
// The first line names the columns, each with its unit after the last
// underscore, in any order and case:
//
//	load_pps     load_kpps load_mpps                     offered load, needed
//	other_pps ...                                        load of others on the same server
//	mean_us      or latency_us, mean_ns, mean_ms, mean_s mean latency
//	p50_us p95_us p99_us p999_us ...                     percentiles
//	loss_ratio   loss_percent                            lost over offered
//	cpu_cores    cpu_percent (of one core)               CPU of the DUT
//	packets      class                                   without a unit
//
// load, loss and at least one latency are needed. Other columns are refused, so
// that a misspelt name does not go unnoticed. Empty fields are not measured.
// Lines that begin with # are skipped. Several lines of a load are repeats.
package points

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/upflab/upflab/internal/analysis/queueing"
)

// ErrFormat is any error of the file's content; its text has the line or column.
var ErrFormat = errors.New("not a table of loads")

// MaxLines is the longest file that is read, lines.
const MaxLines = 100_000

// Read reads all points. Errors are ErrFormat, or those of the reader.
func Read(r io.Reader) ([]queueing.Point, error) {
	table := csv.NewReader(r)
	table.Comment = '#'
	table.TrimLeadingSpace = true
	table.FieldsPerRecord = -1
	header, err := table.Read()
	if err != nil {
		return nil, inFormat(err, "no first line with column names")
	}
	columns, err := columnsOf(header)
	if err != nil {
		return nil, err
	}
	return readRows(table, columns)
}

func readRows(table *csv.Reader, columns []column) ([]queueing.Point, error) {
	var all []queueing.Point
	for {
		fields, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, inFormat(err, "")
		}
		line, _ := table.FieldPos(0)
		if len(fields) != len(columns) {
			return nil, fmt.Errorf("%w: line %d has %d fields, and the first line %d; separate fields by commas, "+
				"and write decimals with a point", ErrFormat, line, len(fields), len(columns))
		}
		point, err := row(fields, columns)
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrFormat, line, err)
		}
		if all = append(all, point); len(all) > MaxLines {
			return nil, fmt.Errorf("%w: over %d lines; average them by load first", ErrFormat, MaxLines)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no line after the column names", ErrFormat)
	}
	if err := checkUnits(all, columns); err != nil {
		return nil, err
	}
	return all, nil
}

// checkUnits finds a mean that is over p99 in every line, which no latency is: one of
// them has another unit than its name says.
func checkUnits(all []queueing.Point, columns []column) error {
	for _, p := range all {
		if p.MeanNS == 0 || p.P99NS == 0 || p.MeanNS <= p.P99NS {
			return nil
		}
	}
	var names []string
	for _, c := range columns {
		if c.fills() == "mean" || c.fills() == "p99" {
			names = append(names, c.title)
		}
	}
	return fmt.Errorf("%w: the mean is over the 99th percentile in every line; check the units of %s", ErrFormat, strings.Join(names, " and "))
}

// inFormat wraps what the CSV reader found; errors of the file itself pass.
func inFormat(err error, empty string) error {
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		return fmt.Errorf("%w: %w", ErrFormat, err)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: %s", ErrFormat, empty)
	}
	return err
}

func row(fields []string, columns []column) (queueing.Point, error) {
	var p queueing.Point
	for i, c := range columns {
		if fields[i] == "" {
			continue
		}
		if err := c.set(&p, fields[i]); err != nil {
			return p, fmt.Errorf("column %s: %w", c.title, err)
		}
	}
	return p, nil
}
