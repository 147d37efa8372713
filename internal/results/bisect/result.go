// Package bisect finds the commit that made a UPF slower: it halves the commits between
// a good one and a bad one, builds and measures what is between, and says so when that
// does not decide.
package bisect

import (
	"time"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
)

// Schema names the encoding of a Result.
const Schema = "upflab.bisect/v1"

// Commit describes a commit of the repository.
type Commit struct {
	ID      string    `json:"id"` // 40 hexadecimal digits
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	Time    time.Time `json:"time"` // of its committer
}

// Short is the beginning of its ID.
func (c Commit) Short() string { return c.ID[:min(len(c.ID), 10)] }

// Reading is how much slower a build is than the good one, in one figure.
type Reading struct {
	Metric    compare.Metric   `json:"metric"`
	Kind      record.Kind      `json:"kind"`
	Direction record.Direction `json:"direction"`
	Load      string           `json:"load"`
	Good      float64          `json:"good"`  // in the metric's unit, as of compare.Figure.Sides
	Other     float64          `json:"other"` // of the other build
	// Worse is by how much the other is worse: a ratio, 0.05 being 5 %, or of frame loss a
	// difference of ratios. Negative: it is better. Lo and Hi hold the true value with
	// 95 % confidence.
	Worse   float64 `json:"worse"`
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
	Repeats int     `json:"repeats"` // that both have
	// Layouts is in how many layouts of their code both were built and measured: the mean is of these.
	Layouts int  `json:"layouts,omitempty"`
	Known   bool `json:"known"` // there is an interval
	// Shown is true when it is worse, with confidence over all figures compared.
	Shown bool   `json:"shown"`
	Why   string `json:"why,omitempty"` // why there is no interval, or none to rely on
	// AtMost is true when something else limited the other build: it is worse by no more
	// than this.
	AtMost bool `json:"at_most,omitempty"`
}

// Same reports whether both are of the same figure.
func (r Reading) Same(o Reading) bool {
	return r.Metric == o.Metric && r.Kind == o.Kind && r.Direction == o.Direction && r.Load == o.Load
}

// Name is "rx_pps, uplink max".
func (r Reading) Name() string {
	return string(r.Metric) + ", " + compare.Where(r.Kind, r.Direction, r.Load)
}

// Verdict is what a step decides of a commit.
type Verdict string

// The verdicts.
const (
	Slower     Verdict = "slower"
	NotSlower  Verdict = "not slower"
	CannotTell Verdict = "cannot tell"
	Skipped    Verdict = "skipped" // it does not build, or does not run
)

// Step is one commit that was tried.
type Step struct {
	Commit  Commit   `json:"commit"`
	Verdict Verdict  `json:"verdict"`
	Reading *Reading `json:"reading,omitempty"`
	Repeats int      `json:"repeats"` // that were asked for, the last time
	// Confirms is true of a commit that was tried again, in another layout of its code, before one was named.
	Confirms bool `json:"confirms,omitempty"`
	// Needed is how many repeats would decide a CannotTell; 0: not known.
	Needed int    `json:"needed,omitempty"`
	Why    string `json:"why,omitempty"`
	Left   int    `json:"left"` // commits that may be the one, before this step
}

// Outcome is how a search ended.
type Outcome string

// The outcomes.
const (
	Found        Outcome = "found"
	Range        Outcome = "cannot tell"   // one of several commits
	NoDifference Outcome = "no difference" // the bad one is not shown to be slower than the good one
	Unfinished   Outcome = "unfinished"    // interrupted, or failed
)

// Result is what a search found, as it is kept.
type Result struct {
	Schema     string    `json:"schema"`
	Tool       string    `json:"tool"` // upflab's version
	Repository string    `json:"repository"`
	DUT        string    `json:"dut"`
	Scenario   string    `json:"scenario"`
	Build      []string  `json:"build"`
	Started    time.Time `json:"started"`
	Finished   time.Time `json:"finished"`
	Good       Commit    `json:"good"`
	Bad        Commit    `json:"bad"`
	Commits    int       `json:"commits"` // between them, the bad one included

	// Check is the figure in which good and bad differ most clearly, by the measurement that
	// confirmed it; nil when in none.
	Check *Reading `json:"check"`
	// Unconfirmed is true when a difference was seen that a second measurement did not show.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// Checked are all figures of the first comparison that showed it.
	Checked []Reading `json:"checked"`
	// Limit is the slow-down, on the scale of Check.Worse, from which a commit is slower.
	Limit float64 `json:"limit"`
	Steps []Step  `json:"steps"`

	Outcome Outcome `json:"outcome"`
	// First is the first slower commit, when it was found.
	First *Commit `json:"first,omitempty"`
	// FixedLayout is why the layout of the code was not varied; "": it was, or need not be.
	FixedLayout string `json:"fixed_layout,omitempty"`
	// Candidates are those that may be it, newest first, where that is all that is known.
	Candidates []Commit `json:"candidates,omitempty"`
	// Needed is how many repeats would decide; 0: not known, or nothing is open.
	Needed int    `json:"needed,omitempty"`
	Why    string `json:"why,omitempty"`
}
