package trends

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/results/history"
)

// nights is a history of ten runs, with another version from the sixth on.
func nights() History {
	key := history.Key{Scenario: "nightly", Machine: "lab", DUT: "eupf", Metric: compare.RxPPS, Kind: record.KindLoad,
		Direction: record.Uplink, Load: "max"}
	s := &history.Series{Key: key, Levels: []history.Level{{From: 0, To: 5, Value: 1e6}, {From: 5, To: 10, Value: 9e5}}}
	h := History{Link: func(r *history.Run) string { return "/runs/" + r.Path }, Series: []*history.Series{s}}
	for n := range 10 {
		r := &history.Run{Path: fmt.Sprint("night-", n), Started: time.Date(2026, 1, 1+n, 2, 0, 0, 0, time.UTC), Complete: true}
		if n == 9 {
			r.Limits = []history.Limit{{DUT: "eupf", Metric: compare.RxPPS, Kind: record.KindLoad, Direction: record.Uplink,
				Load: "max", Value: 8e5, Text: "rx_pps >= 800k"}}
		}
		h.Runs = append(h.Runs, r)
		s.Points = append(s.Points, history.Point{Run: r, Path: r.Path, Version: fmt.Sprint("v", 1+n/5), Value: 1e6 - 1e5*float64(n/5)})
	}
	return h
}

// TestAlongDates: points are at their dates and lead to their runs, thresholds are lines, and a note
// is one where it belongs.
func TestAlongDates(t *testing.T) {
	h := nights()
	h.Marks = []history.Note{{At: time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC), Text: "new kernel"}, {Path: "night-7", Text: "new NIC"},
		{Path: "gone", Text: "of a run that was removed"}, {At: time.Date(2020, 1, 4, 0, 0, 0, 0, time.UTC), Text: "long ago"}}
	p := h.groups()[0].figure(h, compare.RxPPS).Views[0].Panels[0]
	if p.X.Scale != block.Dates || len(p.Series) != 2 || len(p.Series[0].Data) != 10 {
		t.Fatalf("%+v", p)
	}
	if q := p.Series[0].Data[3]; q.X != float64(h.Runs[3].Started.Unix()) || q.Link != "/runs/night-3" || q.More[0] != "v1" {
		t.Errorf("the fourth point is %+v", q)
	}
	var texts []string
	for _, r := range p.Rules {
		texts = append(texts, r.Text)
	}
	if fmt.Sprint(texts) != "[new kernel new NIC rx_pps >= 800k]" || *p.Rules[1].X != block.Num(h.Runs[7].Started.Unix()) ||
		*p.Rules[2].Y != 8e5 {
		t.Errorf("lines %q", texts)
	}
	h.Runs[9].Limits[0].Value = 8e6
	v := h.groups()[0].figure(h, compare.RxPPS).Views[0]
	if len(v.Panels[0].Rules) != 2 || v.Note != "beyond the chart: rx_pps >= 800k" {
		t.Errorf("of a threshold far away: %d lines, note %q", len(v.Panels[0].Rules), v.Note)
	}
	if rows := h.marks().Blocks[0].(block.Table).Rows; len(rows) != 3 || rows[1].Cells[0].Link != "/runs/night-7" {
		t.Errorf("notes %+v", rows)
	}
}

// TestLinesAreOfAllSeries: the notes and thresholds of a chart are those of all UPFs in it: of a note before
// the first UPF's runs, and of a threshold near the second UPF's figures alone. What several have is once.
func TestLinesAreOfAllSeries(t *testing.T) {
	h := nights()
	old := h.Series[0]
	late := &history.Series{Key: old.Key, Levels: []history.Level{{From: 0, To: 2, Value: 1e5}}}
	late.DUT = "open5gs"
	for _, p := range old.Points[8:] {
		p.Value = 1e5
		late.Points = append(late.Points, p)
	}
	h.Series = []*history.Series{late, old}
	h.Marks = []history.Note{{Path: "night-2", Text: "new kernel"}}
	limit := func(dut string, value float64, text string) history.Limit {
		return history.Limit{DUT: dut, Metric: compare.RxPPS, Kind: record.KindLoad, Direction: record.Uplink, Load: "max", Value: value, Text: text}
	}
	h.Runs[9].Limits = nil
	for _, dut := range []string{"open5gs", "eupf"} {
		h.Runs[9].Limits = append(h.Runs[9].Limits, limit(dut, 8e5, "rx_pps >= 800k"), limit(dut, 1e9, "rx_pps >= 1G"))
	}
	h.Runs[9].Limits = append(h.Runs[9].Limits, limit("eupf", 1e3, "rx_pps >= 1k"))
	v := h.groups()[0].figure(h, compare.RxPPS).Views[0]
	var texts []string
	for _, r := range v.Panels[0].Rules {
		texts = append(texts, r.Text)
	}
	if fmt.Sprint(texts) != "[new kernel rx_pps >= 800k]" {
		t.Errorf("lines %q", texts)
	}
	if want := "beyond the chart: rx_pps >= 1G; beyond the chart: rx_pps >= 1k"; v.Note != want {
		t.Errorf("note %q, want %q", v.Note, want)
	}
}

// TestAlongVersions: points are at their version, and the line joins the medians.
func TestAlongVersions(t *testing.T) {
	h := nights()
	h.ByVersion = true
	p := h.groups()[0].figure(h, compare.RxPPS).Views[0].Panels[0]
	if fmt.Sprint(p.X.Categories) != "[v1 v2]" || p.Series[0].Data[4].X != 0 || p.Series[0].Data[5].X != 1 {
		t.Fatalf("%+v", p)
	}
	if line := p.Series[1].Data; len(line) != 2 || line[0].Y != 1e6 || line[1].Y != 9e5 {
		t.Errorf("medians %+v", line)
	}
}

// TestTimeRange: a range of time shows its points and runs alone, and a pinned figure comes first.
func TestTimeRange(t *testing.T) {
	h := nights()
	h.Only = Choice{From: h.Runs[2].Started, To: h.Runs[6].Started}
	h.Pins = []compare.Metric{compare.RxPPS}
	d := Report(h)
	if d.Sections[0].Title != "Pinned" || len(d.Sections[0].Blocks) != 1 {
		t.Fatalf("%+v", d.Sections[0])
	}
	p := d.Sections[0].Blocks[0].(block.Figure).Views[0].Panels[0]
	if len(p.Series[0].Data) != 4 || p.Series[1].Data[0].X != p.Series[0].Data[0].X {
		t.Errorf("%d points are shown of 4", len(p.Series[0].Data))
	}
	if list, n, _ := h.list(); n != 4 || list.Rows[0].Cells[0].Link != "/runs/night-5" {
		t.Errorf("%d runs are listed of 4", n)
	}
	h.Newest = 3 // of what the range has
	if from, to := h.shown(h.Series[0]); from != 3 || to != 6 {
		t.Errorf("points %d to %d are shown, want 3 to 6", from, to)
	}
	h.Only = Choice{From: h.Runs[9].Started.AddDate(1, 0, 0)}
	if f := h.groups()[0].figure(h, compare.RxPPS); !f.Empty() {
		t.Error("a chart is drawn of a time without runs")
	}
}

// TestByWireSaysHow: the chart of a figure that contains wire's says that this is taken off, of others that they
// are divided.
func TestByWireSaysHow(t *testing.T) {
	for metric, want := range map[compare.Metric]string{compare.RxPPS: "divided by the figure of wire", compare.P99: "less the figure of wire",
		compare.FrameLoss: "less the figure of wire"} {
		h := nights()
		if c := h.groups()[0].figure(h, metric).Caption; !strings.Contains(c, "By wire: "+want) {
			t.Errorf("%s: %s", metric, c)
		}
	}
}

// TestChartsComeFirst: the table of a history is folded below its charts, without columns in which nothing is
// known, and without figures of wire that no UPF has.
func TestChartsComeFirst(t *testing.T) {
	h := nights()
	wire, alone := *h.Series[0], *h.Series[0]
	wire.Reference, wire.DUT = true, "wire"
	alone.Reference, alone.DUT, alone.Load = true, "wire", "27058"
	h.Series = append(h.Series, &wire, &alone)
	blocks := h.groups()[0].section(h).Blocks
	last, folded := blocks[len(blocks)-1].(block.Section)
	if _, chart := blocks[0].(block.Figure); !chart || !folded || !last.Fold {
		t.Fatalf("the section has %T first and %T last", blocks[0], blocks[len(blocks)-1])
	}
	table := last.Blocks[0].(block.Table)
	if len(table.Rows) != 2 || strings.Contains(fmt.Sprint(table.Rows), "27058") {
		t.Errorf("rows %+v", table.Rows)
	}
	for _, c := range table.Columns {
		if c.Head == "Noise" || c.Head == "Last change" {
			t.Errorf("the column %s has no value", c.Head)
		}
	}
	h.Series = []*history.Series{&alone}
	if n := len(h.groups()[0].series); n != 1 {
		t.Errorf("of a history of wire alone %d series are left", n)
	}
}
