// Package resilience has the sections of a report on what users lose when they move or
// something fails.
package resilience

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Incidents are what users lost in each.
func Incidents(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Key("Incident"), block.Number("UEs", ""),
		block.Words("Direction"), block.Number("Lost", ""), block.Number("of", "packets"),
		block.Number("Lost before", ""),
		block.Number("Outage", "ms"), block.Number("Mean", "ms"), block.Number("± ", "ms"),
		block.Number("Affected", "UEs"), block.Number("Reordered", ""), block.Number("Copies", "")}}
	each(v, func(d *view.UPF, x *record.Incident) {
		for _, way := range []struct {
			name string
			i    *record.Interruption
		}{{"uplink", x.Uplink}, {"downlink", x.Downlink}} {
			if way.i != nil {
				t.Rows = append(t.Rows,
					block.Row{Cells: append([]block.Cell{d.NameCell(), block.T(x.ID), block.T(fmt.Sprint(x.UEs)),
						block.T(way.name)}, lost(way.i)...)})
			}
		}
	})
	return section("What users lost",
		"Outage: the longest run of lost packets of a UE, from its first to the next one that arrived, by when "+
			"they were sent; mean over all UEs. "+
			"Lost before: of the 500 ms before the incident, which shows what is lost without one. ±: the time "+
			"between two packets of a UE. In idle.* and n3.lost, gnb.gone what is lost meanwhile is in it.", t)
}

// each visits every incident.
func each(v *view.Run, do func(*view.UPF, *record.Incident)) {
	for _, d := range v.UPFs {
		for i := range d.Incidents {
			do(d, &d.Incidents[i])
		}
	}
}

func section(title, hint string, t block.Table) block.Section {
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: title, Hint: hint, Blocks: []block.Block{t}}
}

func lost(i *record.Interruption) []block.Cell {
	outage := block.Cell{Text: units.Millis(1e9 * i.OutageS)}
	if i.Lost == 0 {
		outage = block.Cell{Text: "0", Tone: block.Good}
	}
	return []block.Cell{block.T(units.Count(i.Lost)), block.T(units.Count(i.Sent)),
		block.T(units.Count(i.LostBefore)), outage, block.T(units.Millis(1e9 * i.MeanOutageS)),
		block.T(units.Millis(1e9 * i.SpacingS)),
		block.T(fmt.Sprint(i.AffectedUEs)), block.T(units.Count(i.Reordered)), block.T(units.Count(i.Duplicates))}
}

// Course is what happened when, and what the UPF told its SMF by itself.
func Course(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Key("Incident"), block.Prose("Course"),
		block.Prose("The UPF told its SMF"), block.Prose("Problem")}}
	each(v, func(d *view.UPF, x *record.Incident) {
		told := strings.Join(x.Told, "; ")
		if told == "" {
			told = "nothing"
		}
		problem := block.Cell{Text: block.Printable(x.Problem)}
		switch {
		case x.Problem != "":
			problem.Tone = block.Bad
		case x.NotApplicable != "":
			told, problem.Text = units.None, "not applicable: "+block.Printable(x.NotApplicable)
		}
		t.Rows = append(t.Rows,
			block.Row{Cells: []block.Cell{d.NameCell(), block.T(x.ID), block.T(course(x)),
				block.T(block.Printable(told)), problem}})
	})
	return section("Course of the incidents", "", t)
}

func course(x *record.Incident) string {
	parts := []string{x.Title}
	for _, p := range x.Phases {
		parts = append(parts, fmt.Sprintf("%.3f s: %s", p.After, p.What))
	}
	return strings.Join(parts, "; ")
}

// Handovers are where packets went when paths were switched.
func Handovers(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Key("Incident"), block.Number("UEs", ""),
		block.Number("N4", "ms"), block.Number("Late at the old gNB", "packets"),
		block.Number("After the End Marker", "packets"), block.Number("Misdelivered", "packets"),
		block.Number("End Markers", ""), block.Number("UEs with just one", "")}}
	each(v, func(d *view.UPF, x *record.Incident) {
		if h := x.Handover; h != nil {
			t.Rows = append(t.Rows,
				block.Row{Cells: []block.Cell{d.NameCell(), block.T(x.ID), block.T(fmt.Sprint(x.UEs)),
					block.T(units.Millis(1e9 * h.N4S)), block.T(units.Count(h.ToOld)),
					block.T(units.Count(h.AfterMarker)), block.T(units.Count(h.Misdelivered)),
					block.T(units.Count(h.EndMarkers)), block.T(fmt.Sprint(h.MarkedUEs))}})
		}
	})
	return section("Handover", "Late at the old gNB: after the UE's first packet at the new one.", t)
}

// Buffers are what became of downlink packets of idle UEs.
func Buffers(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Key("Incident"), block.Number("Idle", "s"),
		block.Number("Offered", "packets"), block.Number("Kept", ""),
		block.Number("Dropped", ""), block.Number("Sent while idle", ""), block.Number("First after", "ms"),
		block.Number("Last after", "ms"), block.Words("Report of downlink data")}}
	each(v, func(d *view.UPF, x *record.Incident) {
		if k := x.Buffer; k != nil {
			report := "none"
			if k.Reported {
				report = fmt.Sprintf("%d, the first after %s ms", k.Reports, units.Millis(1e9*k.ReportS))
			}
			t.Rows = append(t.Rows,
				block.Row{Cells: []block.Cell{d.NameCell(), block.T(x.ID), block.T(units.Number(k.IdleS, "%.2f")),
					block.T(units.Count(k.Offered)), block.T(units.Count(k.Kept)),
					block.T(units.Count(k.Dropped)), block.T(units.Count(k.Leaked)),
					block.T(units.Millis(1e9 * k.FirstS)), block.T(units.Millis(1e9 * k.LastS)), block.T(report)}})
		}
	})
	return section("Idle, buffered, paged, active again",
		"Downlink packets while the UEs were idle. First and last after: from when the UEs were made active to "+
			"the first and the last of them that arrived.", t)
}

// Sentence is a UPF's answer in a line.
func Sentence(list []record.Incident) string {
	died, problems, none := 0, 0, 0
	for _, x := range list {
		switch {
		case x.NotApplicable != "":
			none++
		case x.Died:
			died++
		case x.Problem != "":
			problems++
		}
	}
	text := units.Plural(len(list)-none, "incident")
	if died > 0 {
		text += fmt.Sprintf(", did not survive %d", died)
	}
	if problems > 0 {
		text += fmt.Sprintf(", %d could not be carried out whole", problems)
	}
	if none > 0 {
		text += fmt.Sprintf(", %d not applicable", none)
	}
	return text
}
