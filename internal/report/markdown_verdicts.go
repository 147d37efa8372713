package report

import (
	"fmt"
	"strings"
)

func (m *markdown) verdicts(v view) {
	all := v.verdicts()
	if len(all) == 0 {
		return
	}
	m.heading("Verdicts")
	rows := make([][]string, len(all))
	for i, one := range all {
		rows[i] = []string{escape(one.DUT), escape(one.name()), fmt.Sprint(one.Repeat), validWord(one), escape(orNone(one.LimitedBy)), escape(verdictWords(one))}
	}
	m.table([]string{"UPF", "Trial", "Repeat", "Valid", "Limited by", "Why"}, rows)
}

func validWord(v verdict) string {
	if v.Valid {
		return "yes"
	}
	return "**no**"
}

func (m *markdown) drops(v view) {
	if len(v.Directions) == 0 {
		return
	}
	m.heading("Where packets went")
	lost := v.drops()
	if len(lost) == 0 {
		m.linef("None was lost.")
		return
	}
	rows := make([][]string, len(lost))
	for i, d := range lost {
		rows[i] = []string{escape(d.DUT), escape(d.Direction + " " + d.Load), count(d.Lost), placeList(d.Places)}
	}
	m.table([]string{"UPF", "Trial", "Sent, not received", "Where"}, rows)
}

func placeList(places []place) string {
	if len(places) == 0 {
		return "no counter tells"
	}
	words := make([]string, len(places))
	for i, p := range places {
		words[i] = escape(p.String())
	}
	return strings.Join(words, "<br>")
}
