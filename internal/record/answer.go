package record

import (
	"slices"
	"strings"
)

// Unanswered lists what a run was to find and did not, because each attempt at it was not
// valid: of each UPF and direction a rate, a latency, each searched rate and each flow. A
// trial that is not valid while another one answers is none of these.
func (r *Result) Unanswered() (list []string) {
	for i := range r.DUTs {
		d := &r.DUTs[i]
		if d.Reference {
			continue
		}
		q := questions{label: d.Label()}
		for j := range d.Trials {
			t := &d.Trials[j]
			q.ask(trialQuestion(t), t.Valid)
		}
		for j := range d.Searches {
			s := &d.Searches[j]
			q.ask(string(s.Direction)+" search of "+s.SizeName(), s.Found())
		}
		for j := range d.Flows {
			f := &d.Flows[j]
			q.ask(strings.TrimSpace(f.Kind+" "+string(f.Direction)+" "+f.Beside+" "+f.Link), f.Valid)
		}
		list = append(list, q.open()...)
	}
	return list
}

// trialQuestion is what a trial helps to answer.
func trialQuestion(t *Trial) string {
	words := []string{string(t.Direction), "rate"}
	if t.Kind == KindLatency {
		words[1] = "latency"
	}
	if t.Soak != nil {
		words[1] = "soak"
	}
	if t.Arrivals != nil {
		words = append(words, t.Arrivals.Process)
	}
	return strings.Join(append(words, "of", t.SizeName()), " ")
}

// questions are those of one DUT, in the order in which they came up.
type questions struct {
	label    string
	asked    []string
	answered []string
}

func (q *questions) ask(question string, valid bool) {
	if !slices.Contains(q.asked, question) {
		q.asked = append(q.asked, question)
	}
	if valid {
		q.answered = append(q.answered, question)
	}
}

func (q *questions) open() (list []string) {
	for _, question := range q.asked {
		if !slices.Contains(q.answered, question) {
			list = append(list, q.label+" "+question)
		}
	}
	return list
}

// AllValid reports whether every trial, flow and search of a result is valid.
func (r *Result) AllValid() bool {
	for i := range r.DUTs {
		d := &r.DUTs[i]
		if slices.ContainsFunc(d.Trials, func(t Trial) bool { return !t.Valid }) ||
			slices.ContainsFunc(d.Flows, func(f AppFlow) bool { return !f.Valid }) ||
			slices.ContainsFunc(d.Searches, func(s Search) bool { return !s.Found() }) {
			return false
		}
	}
	return true
}
