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
		tags := append(row.Labels(), Label{"scenario", r.Scenario}, Label{"run", r.Run},
			Label{"repeat", fmt.Sprint(row.Repeat)}, Label{"limited_by", row.LimitedBy})
		slices.SortFunc(tags, func(a, b Label) int { return strings.Compare(a.Name, b.Name) })
		for _, l := range tags {
			if value := label(l.Value); value != "" { // a tag has a value
				e.AddTag(l.Name, value)
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
