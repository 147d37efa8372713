package pages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/scenario/schema"
	"github.com/upflab/upflab/internal/text/units"
)

// setting is a key of a scenario that the form offers: no key that names an address, a program
// or a file is among them.
type setting struct {
	Key, Label string
	Wide       bool // its value is a long text
}

// settings are in the order of the form.
func settings() []setting {
	return []setting{
		{Key: "loads", Label: "Loads"}, {Key: "directions", Label: "Directions"}, {Key: "duration", Label: "Duration"},
		{Key: "repeats", Label: "Repeats"}, {Key: "sessions", Label: "Sessions"},
		{Key: "search.preset", Label: "Precision of searches"}, {Key: "thresholds", Label: "Thresholds", Wide: true},
	}
}

// request is a run that somebody asks for.
type request struct {
	Scenario string
	DUTs     []string
	Settings map[string]string // by key; "": as the scenario says
	Pull     bool              // download images of containers that are not here
}

// refused is a request that cannot be carried out, with the setting at fault; Key "": another part.
type refused struct {
	Key string
	error
}

// arguments checks a request as `upflab run` does and turns it into those of it. Nothing but the
// scenario's own parser judges the values.
func (x *Runner) arguments(q request) ([]string, Outline, error) {
	if !slices.Contains(x.Scenarios, q.Scenario) {
		return nil, Outline{}, refused{"scenario", fmt.Errorf("there is no scenario %q to start from here", q.Scenario)}
	}
	if len(q.DUTs) == 0 {
		return nil, Outline{}, refused{"dut", errors.New("choose a UPF to measure")}
	}
	args := []string{"run", q.Scenario}
	for _, d := range q.DUTs {
		if !slices.Contains(x.DUTs, d) {
			return nil, Outline{}, refused{"dut", fmt.Errorf("there is no UPF %q to measure from here", d)}
		}
		args = append(args, "--dut", d)
	}
	var sets []string
	for _, of := range settings() {
		value := strings.TrimSpace(q.Settings[of.Key])
		if value == "" {
			continue
		}
		set := of.Key + "=" + value
		sets, args = append(sets, set), append(args, "--set", set)
	}
	if q.Pull {
		args = append(args, "--pull")
	}
	s, err := scenario.Open(q.Scenario, sets, false)
	if err != nil {
		return nil, Outline{}, refused{atFault(err), plainly(err)}
	}
	if x.Plan == nil {
		return args, Outline{}, nil
	}
	o, err := x.Plan(s, q.DUTs)
	if err != nil {
		return nil, Outline{}, refused{"", err}
	}
	return args, o, nil
}

// atFault is the setting that a scenario's error begins with, "--set KEY=VALUE" there; "": it is none.
func atFault(err error) string {
	var of *document.Error
	if !errors.As(err, &of) {
		return ""
	}
	set, ok := strings.CutPrefix(of.Problems[0].File, "--set ")
	if !ok {
		return ""
	}
	key, _, _ := strings.Cut(set, "=")
	return key
}

// plainly leaves out of a scenario's error what is for a command line: the name of the flag and
// the excerpt of the text.
func plainly(err error) error {
	var of *document.Error
	if !errors.As(err, &of) {
		return err
	}
	var messages []string
	for _, p := range of.Problems {
		messages = append(messages, p.Message)
	}
	return errors.New(strings.Join(messages, "; "))
}

// startForm is what the form that starts a run shows.
type startForm struct {
	Form            string
	Scenarios, DUTs []choice
	Fields          []field
	Pull            bool
	Error           string // of a request that was refused; "": none was
	Estimate        string // how long the run would take; "": not known
}

// choice is something that can be taken.
type choice struct {
	Name   string
	Chosen bool
}

// field is a setting with what was typed.
type field struct {
	setting
	Value, Example, Doc string
	Words               []string // those that it takes, and no others; none: any text
	Bad                 bool     // it was refused
}

// startForm is the form with the values of a request, and with why that was refused.
func (s *server) startForm(q request, why error) startForm {
	f := startForm{Form: s.form, Pull: q.Pull}
	for _, name := range s.o.Runs.Scenarios {
		f.Scenarios = append(f.Scenarios, choice{name, name == q.Scenario})
	}
	for _, name := range s.o.Runs.DUTs {
		f.DUTs = append(f.DUTs, choice{name, slices.Contains(q.DUTs, name)})
	}
	if why == nil {
		var o Outline
		if _, o, why = s.o.Runs.arguments(q); why == nil {
			f.Estimate = o.words()
		}
	}
	var at refused
	if why != nil {
		f.Error = block.Printable(why.Error())
		errors.As(why, &at)
	}
	keys := schema.Keys()
	for _, of := range settings() {
		one := field{setting: of, Value: q.Settings[of.Key], Bad: at.error != nil && at.Key == of.Key}
		if i := slices.IndexFunc(keys, func(k schema.Key) bool { return k.Path == of.Key }); i >= 0 {
			one.Example, one.Doc = keys[i].Example, keys[i].Doc
			if !keys[i].List {
				one.Words = keys[i].Words
			}
		}
		f.Fields = append(f.Fields, one)
	}
	return f
}

// words say how long a run takes, and of what.
func (o Outline) words() string {
	if o.Takes <= 0 {
		return ""
	}
	if o.Until != "" {
		return "Repeats go on " + o.Until + "."
	}
	text := fmt.Sprintf("About %s, for %s", o.Takes.Round(time.Second), units.Plural(o.Visits, "visit"))
	if o.Trials > 0 {
		text += " of " + units.Plural(o.Trials, "trial")
	}
	if o.Open {
		text += ", with what is usual where the run decides"
	}
	if o.Longer {
		text += "; trials that the machine disturbs last longer, at most three times as long"
	}
	return text + "."
}

// fresh is what the form has before anything was typed.
func fresh() request { return request{Scenario: "quick", DUTs: []string{"builtin:xdp"}} }

// starting is the form as a page; an address may fill it.
func (s *server) starting(_ context.Context, r *http.Request) (shown, error) {
	if s.o.Runs == nil {
		return shown{}, notFound{"Runs cannot be started here: start the server with --allow-runs."}
	}
	return s.startPage(asked(r.URL.Query()), nil), nil
}

func (s *server) startPage(q request, why error) shown {
	return shown{block.Document{Title: "Start a run", Maker: "upflab"}, html.Frame{Body: filled("start.tmpl", s.startForm(q, why))}}
}

// start starts the run that the form asks for, or says how long it would take. A request that is refused comes back with what was
// typed and why.
func (s *server) start(w http.ResponseWriter, r *http.Request) {
	if s.o.Runs == nil {
		http.Error(w, "runs cannot be started here: start the server with --allow-runs", http.StatusForbidden)
		return
	}
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	q := request{Scenario: r.PostForm.Get("scenario"), DUTs: r.PostForm["dut"], Settings: map[string]string{},
		Pull: r.PostForm.Get("pull") != ""}
	for _, of := range settings() {
		q.Settings[of.Key] = r.PostForm.Get(of.Key)
	}
	if r.PostForm.Get("estimate") != "" {
		s.estimate(w, r, q)
		return
	}
	path, err := s.o.Runs.Start(q)
	if err != nil {
		p := s.startPage(q, err)
		p.Path = r.URL.Path
		s.write(w, http.StatusBadRequest, p.Document, p.Frame)
		return
	}
	s.begun(r.Context(), path)
	http.Redirect(w, r, link("/live/", filepath.ToSlash(path)), http.StatusSeeOther)
}

// estimate answers with the form and how long the run that it asks for would take.
func (s *server) estimate(w http.ResponseWriter, r *http.Request, q request) {
	status := http.StatusOK
	if _, _, err := s.o.Runs.arguments(q); err != nil {
		status = http.StatusBadRequest
	}
	p := s.startPage(q, nil)
	p.Path = r.URL.Path
	s.write(w, status, p.Document, p.Frame)
}

// begun waits until a run that was started has written its first line: up to ten seconds.
func (s *server) begun(ctx context.Context, path string) {
	for range 50 {
		if _, _, err := s.find(filepath.ToSlash(path)); err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (s *server) stop(w http.ResponseWriter, r *http.Request) {
	if s.o.Runs == nil {
		http.Error(w, "runs cannot be stopped here: start the server with --allow-runs", http.StatusForbidden)
		return
	}
	s.o.Runs.Stop()
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
