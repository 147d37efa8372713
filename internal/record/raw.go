package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Analysis names the version of what figures are computed by. It changes when the same raw data come to
// other figures.
const Analysis = "upflab.analysis/v1"

// Registered is what was settled before the first packet was sent: the record of a run is written with it
// at the start, so that neither scenario nor plan nor analysis can be chosen by what came out.
type Registered struct {
	At       time.Time `json:"at"`
	Scenario string    `json:"scenario_sha256"` // of Result.Settings
	Plan     string    `json:"plan_sha256"`     // of Planned as JSON
	Planned  Planned   `json:"plan"`
	Analysis string    `json:"analysis"` // Analysis, and the version of upflab
	SHA256   string    `json:"sha256"`   // of the run's id and the three above, a line each
}

// Planned is which DUTs a run visits, and in which order.
type Planned struct {
	Targets []string `json:"targets"` // NAME[:MODE] VERSION
	Order   [][]int  `json:"order"`   // of each repeat, the numbers of the targets, from 0
	Trials  int      `json:"trials"`  // that are known before: trials of searches are not
}

// Register settles a scenario, a plan and an analysis for a run.
func Register(r *Result, p Planned, at time.Time) *Registered {
	plan, _ := json.Marshal(p) // strings and numbers
	x := &Registered{At: at, Planned: p, Scenario: digest([]byte(r.Settings)), Plan: digest(plan), Analysis: Analysis + " upflab " + r.Tool.Version}
	x.SHA256 = digest([]byte(r.Run + "\n" + x.Scenario + "\n" + x.Plan + "\n" + x.Analysis + "\n"))
	return x
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// RawData are the files that the figures were computed from, relative to the result's folder.
type RawData struct {
	Schema string    `json:"schema"`
	Trials uint64    `json:"trials"` // records
	Files  []RawFile `json:"files"`
	// Full: from some trial on they were not kept, because they had the size that a run may keep.
	Full bool `json:"full,omitempty"`
}

// RawFile is one of them. What is behind its Bytes belongs to a trial that the result does not have.
type RawFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of these
}
