package report

import (
	"fmt"
	"strings"
)

// published is what others measured of the same UPFs.
func (m *markdown) published(v view) {
	if len(v.Published) == 0 {
		return
	}
	m.heading("Published figures")
	m.linef("%s", publishedRule)
	for _, s := range v.Published {
		m.publishedStudy(s)
	}
}

func (m *markdown) publishedStudy(s publishedStudy) {
	m.linef("\n### %s (%d)\n", escape(s.Title), s.Year)
	m.linef("%s: <%s>.\n", escape(s.Authors), s.URL)
	var lines []string
	for _, f := range s.Conditions {
		lines = append(lines, f.Name+": "+f.Value)
	}
	m.list(append(lines, s.Remarks...))
	for _, t := range s.Tables {
		m.linef("\n%s, beside a trial of this run:\n", t.Title)
		m.table(append([]string{"UPF", "Direction", "Whose", "Load"}, append(t.Heads, "What to know of it")...), publishedLines(t))
	}
	if len(s.Apart) > 0 {
		m.linef("\nNot comparable with a figure of this run:\n")
		m.table([]string{"UPF", "Direction", "What", "Published", "Why it stands alone", "What to know of it"}, apartLines(s.Apart))
	}
	if len(s.Others) > 0 {
		m.linef("\nIt has figures of UPFs that this run has not: %s.", escape(strings.Join(s.Others, ", ")))
	}
}

// publishedLines has two lines for each pair: theirs, ours.
func publishedLines(t publishedTable) (lines [][]string) {
	for _, p := range t.Pairs {
		theirs := []string{escape(p.DUT), p.Direction, "published<br>" + escape(p.TheirVersion), p.TheirLoad}
		ours := []string{"", "", "here<br>" + escape(p.OurVersion), p.OurLoad}
		lines = append(lines, append(append(theirs, p.Theirs...), escape(p.Validity)),
			append(append(ours, p.Ours...), fmt.Sprintf("limited by %s", escape(p.Limited))))
	}
	return lines
}

func apartLines(list []publishedApart) (lines [][]string) {
	for _, a := range list {
		lines = append(lines, []string{escape(a.DUT), a.Direction, escape(a.What), escape(a.Figures), escape(a.Why), escape(a.Validity)})
	}
	return lines
}
