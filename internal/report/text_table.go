package report

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// column of the terminal's table.
type column struct {
	Head  string
	Width int
	Right bool
	Of    func(row) string
}

// textColumns are 100 characters together.
func textColumns() []column {
	return []column{
		{"  trial", 10, false, func(r row) string { return "  " + r.Direction }},
		{"load", 9, false, textLoad},
		{"Tx kpps", 7, true, func(r row) string { return r.TxKpps.Text }},
		{"Rx kpps", 9, true, func(r row) string { return r.RxKpps.Text }},
		{"Gbit/s", 8, true, func(r row) string { return r.RxGbps.Text }},
		{"loss", 7, true, func(r row) string { return r.Loss.Text }},
		{"p50 µs", 6, true, func(r row) string { return r.P50.Text }},
		{"p99 µs", 6, true, func(r row) string { return r.P99.Text }},
		{"p99.9", 6, true, func(r row) string { return r.P999.Text }},
		{"wire", 6, true, textWire},
		{"cores", 5, true, func(r row) string { return r.Cores.Text }},
		{"limited by", 10, false, textLimit},
	}
}

// textLoad is a load in 9 characters; a latency trial at a share of the non-drop
// rate is told from others by that.
func textLoad(r row) string {
	if share, ok := strings.CutSuffix(r.Load, shareOfNDR); ok {
		return share + "% NDR" + doubtMark(r)
	}
	if share, ok := strings.CutSuffix(r.Load, shareOfThroughput); ok {
		return share + "% thr."
	}
	if strings.Contains(r.Load, " % of ") { // of another's rate: what is offered says more
		return fmt.Sprintf("lat.%.0fk", r.rate()/1e3)
	}
	if r.group.Kind == record.KindLatency {
		return "lat. " + r.Load
	}
	return r.Load
}

// doubtMark marks a share of a rate that is not valid.
func doubtMark(r row) string {
	if r.Doubtful {
		return "?"
	}
	return ""
}

// textWire marks what was measured at another load.
func textWire(r row) string {
	if r.Wire.Note != "" {
		return "~" + r.Wire.Text
	}
	return r.Wire.Text
}

func textLimit(r row) string {
	if !r.Valid {
		return "NOT VALID"
	}
	return r.Limited
}

func textHeader() string {
	return textLine(func(c column) string { return c.Head })
}

func textCells(r row) string {
	return textLine(func(c column) string { return c.Of(r) })
}

func textLine(of func(column) string) string {
	var cells []string
	for _, c := range textColumns() {
		cells = append(cells, pad(of(c), c.Width, c.Right))
	}
	return strings.Join(cells, " ")
}
