package fleet

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Job is one run of upflab on one testbed, as it is queued.
type Job struct {
	ID       string `json:"id"`
	Campaign string `json:"campaign"`
	// Name says what is measured, for readers: "eupf payload=64 #2".
	Name     string   `json:"name"`
	Scenario string   `json:"scenario"` // YAML, with every value in it
	DUTs     []string `json:"duts"`     // NAME[:MODE][@VERSION]
	Repeat   int      `json:"repeat"`   // from 1
	// Limit is how long the run may take.
	Limit time.Duration `json:"limit_ns"`
	// Attempts is how often it may be begun, on all testbeds together.
	Attempts int   `json:"attempts"`
	Class    Class `json:"class"`
	// Captured packets of each hop; 0: none.
	Packets int `json:"packets,omitempty"`
}

// SplitVersion takes NAME[:MODE][@VERSION] apart.
func SplitVersion(dut string) (nameMode, version string) {
	nameMode, version, _ = strings.Cut(dut, "@")
	return nameMode, version
}

// Need is what a testbed must have for a DUT: NAME or NAME@VERSION.
func Need(dut string) string {
	nameMode, version := SplitVersion(dut)
	name, _, _ := strings.Cut(nameMode, ":")
	if version == "" {
		return name
	}
	return name + "@" + version
}

// maxJob is how large a queued job may be, octets.
const maxJob = 256 << 10

// DecodeJob reads a queued job. What it says is checked, since its sender may be of
// another version.
func DecodeJob(data []byte) (j Job, err error) {
	if len(data) > maxJob {
		return j, fmt.Errorf("a job of %d octets; they have %d at most", len(data), maxJob)
	}
	if err := json.Unmarshal(data, &j); err != nil {
		return j, fmt.Errorf("not a job: %w", err)
	}
	switch {
	case !GoodName(j.ID), !GoodName(j.Campaign):
		return j, fmt.Errorf("a job with the id %q of the campaign %q", j.ID, j.Campaign)
	case j.Scenario == "", len(j.DUTs) == 0, j.Limit <= 0, j.Attempts <= 0:
		return j, fmt.Errorf("job %s: no scenario, DUT, limit or attempts", j.ID)
	}
	for _, d := range j.DUTs {
		if d == "" || strings.HasPrefix(d, "-") {
			return j, fmt.Errorf("job %s: a DUT called %q", j.ID, d)
		}
	}
	return j, nil
}

// State is how far an agent came with a job.
type State string

// The states. Done and Failed are final.
const (
	Started State = "started" // and no more is known yet
	Lost    State = "lost"    // the agent gave it up, for another to take: it says why
	Done    State = "done"    // there is a result
	Failed  State = "failed"  // it ran and has no result, or was begun too often
)

// Run is what an agent did with a job.
type Run struct {
	Job      string        `json:"job"`
	Name     string        `json:"name,omitempty"`
	Campaign string        `json:"campaign"`
	Agent    string        `json:"agent"`
	Testbed  string        `json:"testbed"`
	Host     string        `json:"host,omitempty"`
	State    State         `json:"state"`
	Attempts int           `json:"attempts"` // of this agent
	Took     time.Duration `json:"took_ns,omitempty"`
	// Status is the exit status of `upflab run`.
	Status int    `json:"status"`
	Error  string `json:"error,omitempty"`
	// Object is the name of the result in the agent's object store; "": there is none.
	Object string `json:"object,omitempty"`
	Size   uint64 `json:"size,omitempty"` // octets of the object
}

// Final reports whether nothing more will be tried.
func (r Run) Final() bool { return r.State == Done || r.State == Failed }

// maxRun is how large a report on a run may be, octets.
const maxRun = 16 << 10

// DecodeRun reads what an agent wrote under a key of the bucket of runs.
func DecodeRun(key string, data []byte) (r Run, err error) {
	if len(data) > maxRun {
		return r, fmt.Errorf("a report of %d octets; they have %d at most", len(data), maxRun)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("not a report on a run: %w", err)
	}
	if key != RunKey(r.Agent, r.Job) {
		return r, fmt.Errorf("a report on job %q by agent %q under the key %s", r.Job, r.Agent, key)
	}
	switch r.State {
	case Started, Lost, Done, Failed:
		return r, nil
	}
	return r, fmt.Errorf("a report with the state %q", r.State)
}

// Alive is what an agent says each second.
type Alive struct {
	Agent string `json:"agent"`
	// Doing is "idle", "running", or "paused" with a reason.
	Doing  string `json:"doing"`
	Reason string `json:"reason,omitempty"`
	Job    string `json:"job,omitempty"`
	Name   string `json:"name,omitempty"` // of the job
	// For is how long it has been doing that, by the agent's clock that nobody sets.
	For time.Duration `json:"for_ns"`
}

// Lease says whose a testbed is.
type Lease struct {
	Agent string `json:"agent"`
	Host  string `json:"host"`
	Boot  string `json:"boot"` // the id that the host's kernel gave this boot
	PID   int    `json:"pid"`
}
