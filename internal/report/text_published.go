package report

import (
	"fmt"
	"strings"
)

// published is what others measured of the same UPFs.
func (t *text) published(v view) {
	if len(v.Published) == 0 {
		return
	}
	t.linef("")
	t.say("", "Published. "+publishedRule)
	for _, s := range v.Published {
		t.publishedStudy(s)
	}
}

func (t *text) publishedStudy(s publishedStudy) {
	t.linef("")
	t.say("", fmt.Sprintf("%s (%d), %s, %s", s.Title, s.Year, s.Authors, s.URL))
	for _, f := range s.Conditions {
		t.say("  ", f.Name+": "+f.Value)
	}
	for _, remark := range s.Remarks {
		t.say("  ! ", remark)
	}
	for _, table := range s.Tables {
		t.publishedTable(table)
	}
	for _, a := range s.Apart {
		t.say("  not comparable: ", fmt.Sprintf("%s %s, %s: %s (%s)", a.DUT, a.Direction, a.What, a.Figures, a.Why))
	}
	if len(s.Others) > 0 {
		t.say("  ", "of UPFs that this run has not: "+strings.Join(s.Others, ", "))
	}
}

// publishedTable has the quantities of a pair on two lines, and what must be
// known of theirs below.
func (t *text) publishedTable(table publishedTable) {
	for _, p := range table.Pairs {
		t.linef("  %s %s, %s", p.DUT, p.Direction, strings.ToLower(table.Title))
		t.linef("    %s%s", pad("", 26, false), publishedCells(table.Heads))
		t.linef("    %s%s", pad("published, "+p.TheirLoad, 26, false), publishedCells(p.Theirs))
		t.linef("    %s%s", pad("here, "+p.OurLoad, 26, false), publishedCells(p.Ours))
		t.say("    ! ", p.Validity)
	}
}

func publishedCells(cells []string) string {
	var b strings.Builder
	for i, c := range cells {
		width := 12
		if i == 4 {
			width = 18
		}
		b.WriteString(pad(c, width, true))
	}
	return b.String()
}
