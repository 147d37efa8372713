package pages

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
)

// filter is a form whose values are the address of the page that it leads to.
type filter struct {
	Action string
	Fields []filterField
	Hidden []filterField // what the address says besides
	Reset  bool          // something is chosen
}

// filterField is a list to choose from, or an input of a kind.
type filterField struct {
	Name, Label, Kind, Value string
	Options                  []option
}

// option is an entry of a list.
type option struct{ Value, Text string }

// options are all, and these.
func options[T ~string](list []T) []option {
	out := []option{{"", "all"}}
	for _, v := range list {
		out = append(out, option{string(v), string(v)})
	}
	return out
}

// field adds a field with the value that the address has.
func (f *filter) field(q url.Values, name, label, kind string, of []option) {
	value := q.Get(name)
	if of != nil && !slices.ContainsFunc(of, func(o option) bool { return o.Value == value }) { // a bookmark of what is gone
		of = append(of, option{value, value})
	}
	f.Fields = append(f.Fields, filterField{name, label, kind, value, of})
	f.Reset = f.Reset || value != ""
}

// choiceOf is what an address chooses of the runs.
func choiceOf(q url.Values) trends.Choice {
	c := trends.Choice{Scenario: q.Get("scenario"), DUT: q.Get("dut"), Verdict: history.Verdict(q.Get("verdict")), Text: q.Get("text"),
		From: day(q.Get("from"))}
	if to := day(q.Get("to")); !to.IsZero() {
		c.To = to.AddDate(0, 0, 1)
	}
	return c
}

// day is one as a browser writes it, in this machine's time zone; zero: it is none.
func day(text string) time.Time {
	t, err := time.ParseInLocation(time.DateOnly, text, time.Local)
	if err != nil {
		return time.Time{}
	}
	return t
}

// listFilter is the form above the list of runs.
func listFilter(q url.Values, h trends.History) filter {
	f := filter{Action: "/"}
	scenarios, duts := named(h)
	f.field(q, "scenario", "Scenario", "", options(scenarios))
	f.field(q, "dut", "UPF", "", options(duts))
	f.field(q, "verdict", "Verdict", "", options(history.Verdicts()))
	f.field(q, "text", "Text", "search", nil)
	f.field(q, "runs", "Runs", "", []option{{"", "newest 300"}, {"all", "all"}})
	return f
}

// historyFilter is the form above the history.
func historyFilter(q url.Values, h trends.History) filter {
	f := filter{Action: "/history"}
	scenarios, duts := named(h)
	f.field(q, "scenario", "Scenario", "", options(scenarios))
	f.field(q, "dut", "UPF", "", options(duts))
	f.field(q, "by", "Along", "", []option{{"", "dates"}, {"version", "versions"}})
	f.field(q, "from", "From", "date", nil)
	f.field(q, "to", "To", "date", nil)
	f.field(q, "runs", "Runs", "", []option{{"", "newest 300"}, {"all", "all"}})
	for _, name := range []string{"machine", "metric", "pin"} {
		for _, value := range q[name] {
			f.Hidden = append(f.Hidden, filterField{Name: name, Value: value})
		}
	}
	return f
}

// pins are the figures that an address pins, and how a link changes that.
func pins(q url.Values) (list []compare.Metric, link func(compare.Metric) block.Link) {
	for _, m := range compare.Metrics() {
		if slices.ContainsFunc(q["pin"], func(p string) bool { return compare.Named(p) == m }) {
			list = append(list, m)
		}
	}
	return list, func(m compare.Metric) block.Link {
		with := maps.Clone(q)
		with["pin"] = slices.DeleteFunc(slices.Clone(q["pin"]), func(p string) bool { return compare.Named(p) == m })
		text := "Unpin"
		if len(with["pin"]) == len(q["pin"]) {
			with["pin"], text = append(with["pin"], string(m)), "Pin"
		}
		return block.Link{Text: text, URL: "/history?" + with.Encode()}
	}
}

// named are the scenarios and UPFs that a history has.
func named(h trends.History) (scenarios, duts []string) {
	for _, r := range h.Runs {
		scenarios = appendNew(scenarios, r.Scenario)
		for _, d := range r.DUTs {
			if !d.Reference {
				duts = appendNew(duts, d.Label)
			}
		}
	}
	slices.Sort(scenarios)
	slices.Sort(duts)
	return scenarios, duts
}

func appendNew(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// newestRuns is how many runs a page shows unless all are asked for.
const newestRuns = 300

// allRuns says how a reader asks for all.
const allRuns = "all with runs=all in the address"

func newest(r *http.Request) int {
	if r.URL.Query().Get("runs") == "all" {
		return 0
	}
	return newestRuns
}
