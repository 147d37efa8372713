package behaviour

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// account is what a row of the table of telemetry is of.
type account struct{ upf, name, by, means string }

// Telemetry grades each account that a UPF gives of itself, with the conditions side by side.
func Telemetry(v *view.Run) block.Section {
	var rows []account
	var conditions []string
	cells := map[account]map[string]string{}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			for _, s := range d.Cases[i].Shown {
				of := account{d.Label, s.Name, s.By, s.Means}
				condition := d.Cases[i].ID[strings.LastIndex(d.Cases[i].ID, ".")+1:]
				if cells[of] == nil {
					cells[of], rows = map[string]string{}, append(rows, of)
				}
				if !slices.Contains(conditions, condition) {
					conditions = append(conditions, condition)
				}
				cells[of][condition] = grade(&s)
			}
		}
	}
	if len(rows) == 0 {
		return block.Section{}
	}
	t := block.Table{Columns: []block.Column{block.Key("Account"), block.Words("UPF"), block.Words("By"), block.Words("It claims to count")}}
	for _, c := range conditions {
		t.Columns = append(t.Columns, block.Words(c))
	}
	for _, a := range rows {
		line := []string{a.name, a.upf, a.by, a.means}
		for _, c := range conditions {
			line = append(line, cells[a][c])
		}
		t.Rows = append(t.Rows, block.Row{Cells: block.Cells(line...)})
	}
	return block.Section{Title: "Truth of telemetry",
		Hint: "What the UPF says of known packets against what was sent and arrived: under load, with packets that a gate drops, " +
			"with UEs that move, and with sessions that are deleted in the midst of their packets. Absent: it gives none, or none that upflab knows of.",
		Blocks: []block.Block{t}}
}

// grade writes an account's: "exact", "within 0.3 %", "wrong: 0 of 1604".
func grade(s *record.Shown) string {
	switch s.Grade {
	case record.GradeNear:
		return fmt.Sprintf("within %.1f %%", math.Ceil(math.Abs(s.Error)*1e3)/10)
	case record.GradeWrong:
		return fmt.Sprintf("wrong: %.0f of %.0f", s.Value, s.Ledger)
	case record.GradeAbsent:
		if s.Note != "" {
			return "not read"
		}
	}
	return string(s.Grade)
}
