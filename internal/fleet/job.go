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
	// Issued is when the operator signed it, by the client's clock.
	Issued time.Time `json:"issued"`
}

const (
	// JobFor is how long a signed job may be begun. A client that follows its campaign signs
	// those anew that waited longer.
	JobFor = 30 * 24 * time.Hour
	// ClocksDiffer is by how much the clocks of client and agents may differ.
	ClocksDiffer = 24 * time.Hour
)

// Sign is the job as it is queued, signed by the operator now.
func (j Job) Sign(by *Identity) ([]byte, error) {
	j.Issued = time.Now().UTC()
	return by.signJSON(kindJob, j)
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

// DecodeJob reads a queued job. Only the operator's are jobs. What one says is checked, since
// the client may be of another version.
func DecodeJob(v *Identity, data []byte) (j Job, err error) {
	if len(data) > maxJob {
		return j, fmt.Errorf("a job of %d octets; they have %d at most", len(data), maxJob)
	}
	body, by, err := v.verify(kindJob, data)
	if err == nil && !by.IsOperator() {
		err = ErrUnsigned
	}
	if err != nil {
		return j, fmt.Errorf("not a job of this hub's operator: %w", err)
	}
	if err := json.Unmarshal(body, &j); err != nil {
		return j, fmt.Errorf("not a job: %w", err)
	}
	j.Name = Printable(j.Name) // which is for readers only
	now := time.Now()
	switch {
	case now.Sub(j.Issued) > JobFor, j.Issued.Sub(now) > ClocksDiffer:
		return j, fmt.Errorf("job %s was signed on %s, and this host's clock says %s: a job is good for %d days",
			j.ID, j.Issued.Format(time.DateOnly), now.Format(time.DateOnly), JobFor/(24*time.Hour))
	case !GoodName(j.ID), !GoodName(j.Campaign):
		return j, fmt.Errorf("a job with the id %q of the campaign %q", j.ID, j.Campaign)
	case j.Scenario == "", len(j.DUTs) == 0, j.Limit <= 0, j.Attempts <= 0, j.Attempts > MaxAttempts:
		return j, fmt.Errorf("job %s: no scenario, DUT or limit, or %d attempts", j.ID, j.Attempts)
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
	// Digest is that of the object, as NATS object stores have it: "SHA-256=...".
	Digest string `json:"digest,omitempty"`
	// At is when that was signed, by the agent's clock.
	At time.Time `json:"at"`
}

// Sign is the report as it is kept, signed by its agent, or by the client, now.
func (r Run) Sign(by *Identity) ([]byte, error) {
	r.At = time.Now().UTC()
	return by.signJSON(kindReport, r)
}

// Same reports whether two reports say the same, whenever they were signed.
func (r Run) Same(other Run) bool {
	r.At = other.At
	return r == other
}

// Final reports whether nothing more will be tried.
func (r Run) Final() bool { return r.State == Done || r.State == Failed }

// MaxAttempts is how often a job may be begun, on all testbeds together. Agents add up what others
// report, so that no report may say more.
const MaxAttempts = 1000

// maxRun is how large a report on a run may be, octets.
const maxRun = 16 << 10

// DecodeRun reads what is kept under a key of the bucket of runs: the report of an agent on
// its own testbed, or what the client says of it.
func DecodeRun(v *Identity, key string, data []byte) (r Run, err error) {
	if len(data) > maxRun {
		return r, fmt.Errorf("a report of %d octets; they have %d at most", len(data), maxRun)
	}
	body, by, err := v.verify(kindReport, data)
	if err != nil {
		return r, fmt.Errorf("the report under %s: %w", key, err)
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return r, fmt.Errorf("not a report on a run: %w", err)
	}
	if !by.IsOperator() && (by.Agent != r.Agent || !by.Serves(r.Testbed)) {
		return r, fmt.Errorf("a report of agent %q on testbed %q, signed by agent %q", r.Agent, r.Testbed, by.Agent)
	}
	if key != RunKey(r.Agent, r.Job) {
		return r, fmt.Errorf("a report on job %q by agent %q under the key %s", r.Job, r.Agent, key)
	}
	if r.Attempts < 0 || r.Attempts > MaxAttempts {
		return r, fmt.Errorf("a report on job %q of %d attempts; there are %d at most", r.Job, r.Attempts, MaxAttempts)
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
