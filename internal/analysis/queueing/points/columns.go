package points

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/analysis/queueing"
)

// column is one column of a file: what it fills, and the factor of its unit.
type column struct {
	title    string
	quantity quantity
	factor   float64
}

// quantity is what a column can hold.
type quantity struct {
	name  string
	units units
	field func(p *queueing.Point) *float64
}

// units are the units of a kind of quantity, with their factors to that of
// Point.
type units []struct {
	name   string
	factor float64
}

var (
	rates     = units{{"pps", 1}, {"kpps", 1e3}, {"mpps", 1e6}}
	latencies = units{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}
	ratios    = units{{"ratio", 1}, {"percent", 0.01}}
	cores     = units{{"cores", 1}, {"percent", 0.01}}
)

var quantities = []quantity{
	{"load", rates, func(p *queueing.Point) *float64 { return &p.LoadPPS }},
	{"other", rates, func(p *queueing.Point) *float64 { return &p.OtherPPS }},
	{"mean", latencies, func(p *queueing.Point) *float64 { return &p.MeanNS }},
	{"latency", latencies, func(p *queueing.Point) *float64 { return &p.MeanNS }},
	{"p50", latencies, func(p *queueing.Point) *float64 { return &p.P50NS }},
	{"p95", latencies, func(p *queueing.Point) *float64 { return &p.P95NS }},
	{"p99", latencies, func(p *queueing.Point) *float64 { return &p.P99NS }},
	{"p999", latencies, func(p *queueing.Point) *float64 { return &p.P999NS }},
	{"loss", ratios, func(p *queueing.Point) *float64 { return &p.LossRatio }},
	{"cpu", cores, func(p *queueing.Point) *float64 { return &p.CPUCores }},
	{"packets", nil, nil},
	{"class", nil, nil},
}

// columnsOf reads the first line.
func columnsOf(header []string) ([]column, error) {
	if len(header) == 1 && strings.ContainsAny(header[0], ";\t") {
		return nil, fmt.Errorf("%w: the first line has no comma; separate the columns by commas, not by semicolons or tabs", ErrFormat)
	}
	var all []column
	var names []string
	for _, title := range header {
		c, err := columnOf(strings.ToLower(strings.TrimSpace(strings.TrimPrefix(title, "\ufeff"))))
		if err != nil {
			return nil, err
		}
		if slices.Contains(names, c.fills()) {
			return nil, fmt.Errorf("%w: two columns for %s; remove one", ErrFormat, c.fills())
		}
		all, names = append(all, c), append(names, c.fills())
	}
	return all, missing(names)
}

// fills is the quantity, by one name.
func (c column) fills() string {
	if c.quantity.name == "latency" {
		return "mean"
	}
	return c.quantity.name
}

func missing(names []string) error {
	for _, need := range []string{"load", "loss"} {
		if !slices.Contains(names, need) {
			q := quantities[slices.IndexFunc(quantities, func(q quantity) bool { return q.name == need })]
			return fmt.Errorf("%w: no column for %s; add one of %s", ErrFormat, need, q.titles())
		}
	}
	if !slices.ContainsFunc(names, func(n string) bool { return n == "mean" || n == "p50" || n == "p95" || n == "p99" }) {
		return fmt.Errorf("%w: no column for latency; add mean_us, p50_us, p95_us or p99_us, or the same in ns, ms or s", ErrFormat)
	}
	return nil
}

func columnOf(title string) (column, error) {
	name, unit, _ := strings.Cut(title, "_")
	for _, q := range quantities {
		if q.name != name {
			continue
		}
		if q.units == nil && unit == "" {
			return column{title, q, 1}, nil
		}
		for _, u := range q.units {
			if u.name == unit {
				return column{title, q, u.factor}, nil
			}
		}
		return column{}, fmt.Errorf("%w: column %q has no unit that is known; name it %s", ErrFormat, title, q.titles())
	}
	return column{}, fmt.Errorf("%w: column %q is not known; remove it, or take one of %s", ErrFormat, title, known())
}

// titles lists how a column of a quantity may be named.
func (q quantity) titles() string {
	if q.units == nil {
		return q.name
	}
	var all []string
	for _, u := range q.units {
		all = append(all, q.name+"_"+u.name)
	}
	return strings.Join(all, ", ")
}

func known() string {
	var all []string
	for _, q := range quantities {
		all = append(all, q.name)
	}
	return strings.Join(all, ", ")
}

// set fills one field of a point.
func (c column) set(p *queueing.Point, text string) (err error) {
	text = strings.TrimSpace(text)
	switch c.quantity.name {
	case "class":
		p.Class = text
		return nil
	case "packets":
		p.Packets, err = strconv.ParseUint(text, 10, 64)
		return err
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
		return fmt.Errorf("%q is not a number from 0 up", text)
	}
	*c.quantity.field(p) = value * c.factor
	return nil
}
