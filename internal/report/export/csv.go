package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// CSV writes a line for each figure of each trial, search, flow and DUT (RFC 4180), under
// one line of names.
func CSV(w io.Writer, r *record.Result) error {
	out := csv.NewWriter(w)
	head := []string{"run", "scenario", "started"}
	for _, l := range (Row{DUT: new(record.DUT)}).Labels() {
		head = append(head, l.Name)
	}
	if err := out.Write(append(head, "offered_pps", "repeat", "valid", "limited_by", "figure", "unit", "value", "bound")); err != nil {
		return err
	}
	for _, row := range Rows(r) {
		line := []string{cell(run(r)), cell(scenario(r)), row.At(r).UTC().Format(time.RFC3339Nano)}
		for _, l := range row.Labels() {
			line = append(line, cell(l))
		}
		line = append(line, number(row.AtRate.Load.PPS), strconv.Itoa(row.Repeat), strconv.FormatBool(row.Valid), cell(row.Limit()))
		for _, v := range row.Values {
			one := append(line[:len(line):len(line)], v.Name, string(v.Unit), number(v.V), v.Bound)
			if err := out.Write(one); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
