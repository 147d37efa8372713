package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"
)

// Calibration is how much a machine differs from itself from run to run, by runs of a device that nobody
// changed. It is a component of the uncertainty of each figure of one run (JCGM 100:2008, 4.2 and F.1.1.2),
// which repeats within that run do not show.
type Calibration struct {
	Machine string    `json:"machine"` // Host.Fingerprint of the machine
	Device  string    `json:"device"`  // name:mode of what was measured
	Runs    int       `json:"runs"`
	Days    int       `json:"days"` // on so many days, UTC
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	// Scatter is that of each figure.
	Scatter []Scatter `json:"scatter"`
	// Certificate names these figures: two results that cite one rest on the same runs. 12 hexadecimal digits;
	// "": the result is older.
	Certificate string `json:"certificate,omitempty"`
	// Bench is what the runs were sent and received by; nil: the result is older.
	Bench *Bench `json:"bench,omitempty"`
	// Wire are the levels of wire in these runs: what the bench carries at most, and what it adds to delays.
	Wire []Level `json:"wire,omitempty"`
}

// Level is where a figure of a device lay over runs.
type Level struct {
	Figure string  `json:"figure"`
	Place  string  `json:"place"` // kind of trial, direction, load
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// CalibrationLasts is how long after its last run a calibration counts: other guests of a shared machine come and go.
const CalibrationLasts = 90 * 24 * time.Hour

// Until is when the calibration ends to count.
func (c *Calibration) Until() time.Time { return c.Last.Add(CalibrationLasts) }

// Seal gives the calibration the name that follows from all it says.
func (c *Calibration) Seal() {
	c.Certificate = ""
	text, _ := json.Marshal(c) // numbers, strings and times
	sum := sha256.Sum256(text)
	c.Certificate = hex.EncodeToString(sum[:6])
}

// Scatter is the standard deviation of a figure from run to run.
type Scatter struct {
	Figure string  `json:"figure"` // "rx_pps"
	SD     float64 `json:"sd"`     // as a ratio, 0.02 being 2 %
	DF     float64 `json:"df"`     // degrees of freedom
	// AcrossDays is true where the runs are of three days or more, so that SD contains what days differ by.
	AcrossDays bool `json:"across_days,omitempty"`
	// BetweenDays is the part of the variance that lies between days, 0..1; nil: all runs are of one or
	// two days, and it is not known.
	BetweenDays *float64 `json:"between_days"`
}

// Fingerprint names what speed depends on: a machine with another processor, kernel, clock or mitigations
// is another machine. 16 hexadecimal digits.
func (h Host) Fingerprint() string {
	return FingerprintOf(h.Traits())
}

// FingerprintOf is that of the machine whose traits these are; "": they are not all there.
func FingerprintOf(traits []Trait) string {
	names := Host{}.Traits()
	if len(traits) != len(names) {
		return ""
	}
	var values []any
	for i, t := range traits {
		switch {
		case t.Name != names[i].Name:
			return ""
		case t.Name == cpusTrait || t.Name == mitigationsTrait:
			values = append(values, json.RawMessage(t.Value)) // as they are in a fingerprint
		default:
			values = append(values, t.Value)
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// The traits that are no strings.
const (
	cpusTrait        = "number of CPUs"
	mitigationsTrait = "mitigations"
)

// Trait is a part of what a fingerprint is of.
type Trait struct {
	Name  string `json:"name"` // "kernel"
	Value string `json:"value"`
}

// Traits are what the fingerprint is of, by name.
func (h Host) Traits() []Trait {
	mitigations, _ := json.Marshal(h.Mitigations) // strings, sorted by key
	return []Trait{{"host name", h.Hostname}, {"kernel", h.Kernel}, {"CPU model", h.CPU}, {cpusTrait, strconv.Itoa(h.CPUs)},
		{"hypervisor", h.Virtualization}, {"clock source", h.Clocksource}, {"frequency governor", h.Governor}, {"idle driver", h.Idle},
		{"preemption", h.Preemption}, {mitigationsTrait, string(mitigations)}, {"kernel command line", h.Cmdline}, {"BPF JIT", h.BPFJIT}}
}
