package record

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Unanswered lists what a run was to find and did not, because each attempt at it was not
// valid: of each UPF and direction a rate, a latency, each searched rate, each safe load and each flow. A
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
		for j := range d.SafeLoads {
			if l := &d.SafeLoads[j]; d.Stress != nil && l.Class == "" {
				q.ask(safeQuestion(l), d.Told(l))
			}
		}
		for j := range d.Flows {
			f := &d.Flows[j]
			q.ask(strings.Join(strings.Fields(f.Kind+" "+string(f.Direction)+" "+f.Beside+" "+f.Family+" "+f.Link), " "), f.Valid)
		}
		for j := range d.Instructions {
			x := &d.Instructions[j]
			q.ask(strings.TrimSpace("instructions of "+x.Name()+" "+x.Size), x.Valid)
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

// safeQuestion is the target that a safe load is to keep.
func safeQuestion(l *SafeLoad) string {
	bounds := []string{"loss " + strconv.FormatFloat(l.Target.LossRatio, 'g', -1, 64)}
	if l.Target.P99NS > 0 {
		bounds = append([]string{"p99 " + time.Duration(l.Target.P99NS).String()}, bounds...)
	}
	words := []string{string(l.Direction), "safe load"}
	if l.Arrivals != "" {
		words = append(words, l.Arrivals)
	}
	return strings.Join(append(words, "for", strings.Join(bounds, ", ")), " ")
}

// Told reports whether it is known up to which load a target is kept, or that no load keeps it. That no
// load does, only a valid trial of the lowest one shows, and none that was disturbed throughout.
func (d *DUT) Told(l *SafeLoad) bool {
	if l.PPS > 0 || l.Disturbed || l.EstimatePPS > 0 { // some load keeps it, and how high one is safe is not known
		return l.PPS > 0
	}
	least, valid := math.Inf(1), false
	for i := range d.Trials {
		t := &d.Trials[i]
		of := t.Stream()
		if t.Kind != KindLoad || of.Direction != l.Direction || of.Size != l.Size || of.Arrivals != l.Arrivals || t.Load.PPS <= 0 {
			continue
		}
		if t.Load.PPS < least {
			least, valid = t.Load.PPS, false
		}
		valid = valid || t.Load.PPS == least && t.Valid
	}
	return valid
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
			slices.ContainsFunc(d.Instructions, func(x Instructions) bool { return !x.Valid }) ||
			slices.ContainsFunc(d.Searches, func(s Search) bool { return !s.Found() }) {
			return false
		}
	}
	return true
}
