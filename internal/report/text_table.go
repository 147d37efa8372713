package report

import (
	"strings"

	"github.com/upflab/upflab/internal/result"
)

// column of the terminal's table.
type column struct {
	Head  string
	Width int
	Right bool
	Of    func(row) string
}

// textColumns are 99 characters together.
func textColumns() []column {
	return []column{
		{"  direction", 11, false, func(r row) string { return "  " + r.Direction }},
		{"load", 9, false, textLoad},
		{"Tx kpps", 8, true, func(r row) string { return r.TxKpps.Text }},
		{"Rx kpps", 10, true, func(r row) string { return r.RxKpps.Text }},
		{"Rx Gbit/s", 9, true, func(r row) string { return r.RxGbps.Text }},
		{"loss", 7, true, func(r row) string { return r.Loss.Text }},
		{"p50 µs", 6, true, func(r row) string { return r.P50.Text }},
		{"p99 µs", 6, true, func(r row) string { return r.P99.Text }},
		{"p99.9µs", 7, true, func(r row) string { return r.P999.Text }},
		{"cores", 5, true, func(r row) string { return r.Cores.Text }},
		{"limited by", 11, false, textLimit},
	}
}

func textLoad(r row) string {
	if r.group.Kind == result.KindLatency {
		return "lat. " + r.Load
	}
	return r.Load
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
