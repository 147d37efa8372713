package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"
)

// AskSubject is where an agent asks the hub's front for something.
func AskSubject(agent, method string) string { return "upflab.hub." + agent + "." + method }

// What an agent can ask the front for, and with what.
const (
	MethodHello   = "hello"   // Hello: may it serve a testbed? Settings
	MethodTestbed = "testbed" // Testbed: what it can do
	MethodAlive   = "alive"   // AliveAsked: what it does; without an answer
	MethodLease   = "lease"   // LeaseAsked: LeaseGiven
	MethodNext    = "next"    // NextAsked: Offer, which may be none
	MethodRuns    = "runs"    // ReportAsked without a report: RunsKnown; without a job those that the agent has begun
	MethodClaim   = "claim"   // ReportAsked: the run is begun if nobody wrote since; Claimed
	MethodReport  = "report"  // ReportAsked: how the run went; one with an outcome ends the job
	MethodBusy    = "busy"    // Ticket: it is worked on
	MethodReturn  = "return"  // Returned: give the job to another
	MethodChunk   = "chunk"   // ChunkAsked and, in the lines after it, octets of a result
	MethodStored  = "stored"  // StoredAsked: those were all
)

// Hello is how an agent begins.
type Hello struct {
	Protocol int    `json:"protocol"`
	Testbed  string `json:"testbed"`
}

// AliveAsked says what an agent does on a testbed; Gone: it ends.
type AliveAsked struct {
	Testbed string `json:"testbed"`
	Alive   Alive  `json:"alive"`
	Gone    bool   `json:"gone,omitempty"`
}

// LeaseAsked asks for a testbed, to renew its lease of a revision (0: it has none), or to give
// it back.
type LeaseAsked struct {
	Testbed  string `json:"testbed"`
	Lease    Lease  `json:"lease"`
	Revision uint64 `json:"revision,omitempty"`
	Release  bool   `json:"release,omitempty"`
}

// LeaseGiven is the lease, or whose the testbed is.
type LeaseGiven struct {
	Revision uint64 `json:"revision,omitempty"`
	Created  bool   `json:"created,omitempty"` // it was nobody's
	Taken    *Lease `json:"taken,omitempty"`
}

// NextAsked asks for a job that a testbed can do. A job that the agent got for it before, and
// has not ended, is given back.
type NextAsked struct {
	Testbed Testbed       `json:"testbed"`
	Wait    time.Duration `json:"wait_ns"`
}

// Ticket is the proof that the hub gave an agent a job: where it is acknowledged, signed by
// the hub. Nobody else can use it.
type Ticket struct {
	Job   string `json:"job"`
	Reply string `json:"reply"`
	MAC   []byte `json:"mac"`
}

// Offer is a job as the operator signed it; empty: none came.
type Offer struct {
	Job    []byte `json:"job,omitempty"`
	Ticket Ticket `json:"ticket"`
}

// ReportAsked is a signed report on a job that the agent was given, or that it reported on
// before. Last is for a claim: the revision of the last that anybody wrote about the job.
type ReportAsked struct {
	Ticket Ticket `json:"ticket"`
	Report []byte `json:"report,omitempty"`
	Last   uint64 `json:"last,omitempty"`
}

// Claimed reports whether a claim was written; not: others wrote about the job.
type Claimed struct {
	Claimed bool `json:"claimed"`
}

// RunsKnown is what was written about a job, in the order of writing.
type RunsKnown struct {
	Runs []RunKnown `json:"runs,omitempty"`
	Last uint64     `json:"last"`
}

// RunKnown is a signed report. Held reports whether its agent still holds the testbed.
type RunKnown struct {
	Key    string `json:"key"`
	Report []byte `json:"report"`
	Held   bool   `json:"held,omitempty"`
}

// Returned gives a job to another, not before a time.
type Returned struct {
	Ticket Ticket        `json:"ticket"`
	Delay  time.Duration `json:"delay_ns"`
}

// ChunkAsked is a part of a result, the first has number 0. All of one upload have its name.
type ChunkAsked struct {
	Ticket Ticket `json:"ticket"`
	Upload string `json:"upload"`
	Number int    `json:"number"`
}

// StoredAsked says what all parts of a result are.
type StoredAsked struct {
	Ticket Ticket `json:"ticket"`
	Upload string `json:"upload"`
	Chunks uint32 `json:"chunks"`
	Size   uint64 `json:"size"`
	Digest string `json:"digest"`
}

// Answered is what the front answers: a value, or why not.
type Answered struct {
	Value  json.RawMessage `json:"value,omitempty"`
	Failed string          `json:"failed,omitempty"`
	Denied bool            `json:"denied,omitempty"` // it will not be otherwise when asked again
}

// DeniedError is what the hub does not allow, however often it is asked.
type DeniedError struct{ Text string }

// Error implements error: it gives the text for the user.
func (e DeniedError) Error() string { return e.Text }

// Pack writes a question with octets that follow it; Unpack reads it.
func Pack(question any, octets []byte) ([]byte, error) {
	head, err := json.Marshal(question)
	return bytes.Join([][]byte{head, octets}, []byte("\n")), err
}

// Unpack reads a question, and gives the octets after it.
func Unpack(data []byte, question any) (octets []byte, err error) {
	head, octets, _ := bytes.Cut(data, []byte("\n"))
	if json.Unmarshal(head, question) != nil {
		return nil, errors.New("the question cannot be read: use one version of upflab everywhere")
	}
	return octets, nil
}
