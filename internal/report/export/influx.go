package export

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/influxdata/line-protocol/v2/lineprotocol"

	"github.com/upflab/upflab/internal/record"
)

// Influx writes InfluxDB's line protocol, a point for each trial, search, flow and DUT:
// measurement upflab, a tag for each label, a field for each figure.
func Influx(w io.Writer, r *record.Result) error {
	var e lineprotocol.Encoder
	e.SetPrecision(lineprotocol.Nanosecond)
	for _, row := range Rows(r) {
		e.StartLine("upflab")
		tags := append(row.Labels(), scenario(r), run(r),
			NewLabel("repeat", fmt.Sprint(row.Repeat)), row.Limit())
		slices.SortFunc(tags, func(a, b Label) int { return strings.Compare(a.Name, b.Name) })
		for _, l := range tags {
			if l.Value != "" { // a tag has a value
				e.AddTag(l.Name, l.Value)
			}
		}
		e.AddField("valid", lineprotocol.BoolValue(row.Valid))
		for _, v := range row.Values {
			value, ok := lineprotocol.FloatValue(v.V)
			if ok {
				e.AddField(strings.ReplaceAll(v.Name, ".", "_"), value)
			}
		}
		e.EndLine(row.At(r))
	}
	if err := e.Err(); err != nil {
		return fmt.Errorf("write line protocol: %w", err)
	}
	_, err := w.Write(e.Bytes())
	return err
}
