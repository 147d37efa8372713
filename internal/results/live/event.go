package live

import "github.com/upflab/upflab/internal/record"

// FileName is the file in the folder of a run.
const FileName = "live.jsonl"

// The kinds of events.
const (
	KindPlan  = "plan"  // the run begins: Scenario, Trials, Text: what sends
	KindStage = "stage" // Target, Text: what is being done to it
	KindBegin = "begin" // trial N of Target: Direction, Load, Trial
	KindPoint = "point" // what was measured since the point before
	KindEnd   = "end"   // trial N has ended: the same, figures, LimitedBy, Valid, Text
	KindLog   = "log"   // Text
	KindBeat  = "beat"  // nothing happened: the run is there
	KindDone  = "done"  // the run has ended; Text says how, "": well
)

// Event is one line. Fields that do not belong to its kind are left out.
type Event struct {
	T         float64      `json:"t"` // s since the run began, by a clock that nobody sets
	Kind      string       `json:"kind"`
	Scenario  string       `json:"scenario,omitempty"`
	Trials    int          `json:"trials,omitempty"`
	N         int          `json:"n,omitempty"`
	Target    string       `json:"target,omitempty"`
	Trial     string       `json:"trial,omitempty"` // "uplink 150k"
	TxPPS     float64      `json:"tx_pps,omitempty"`
	RxPPS     float64      `json:"rx_pps,omitempty"`
	Loss      float64      `json:"loss,omitempty"` // 0..1
	P50       uint64       `json:"p50_ns,omitempty"`
	P99       uint64       `json:"p99_ns,omitempty"`
	Cores     float64      `json:"dut_cores,omitempty"`
	LimitedBy record.Limit `json:"limited_by,omitempty"`
	Valid     bool         `json:"valid,omitempty"`
	Text      string       `json:"text,omitempty"`
}
