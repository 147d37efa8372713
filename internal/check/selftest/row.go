package selftest

import (
	"fmt"
	"math"
)

// Unit is what a row's numbers are.
type Unit string

// The units.
const (
	Packets     Unit = "packets"
	Nanoseconds Unit = "ns"
	PerSecond   Unit = "packets/s"
	Percent     Unit = "%"
	BitsPerS    Unit = "bit/s"
	Octets      Unit = "octets"
	Comparisons Unit = "comparisons"
	Runs        Unit = "runs"
	Word        Unit = "" // a verdict: Truth and Measured are in TruthWord and MeasuredWord
)

// Row is one quantity as it was and as upflab has it.
type Row struct {
	Experiment string  `json:"experiment"`
	Device     string  `json:"device"` // the DUT, NAME[:MODE]
	Trial      string  `json:"trial"`  // "uplink 20k"
	Quantity   string  `json:"quantity"`
	Unit       Unit    `json:"unit,omitempty"`
	Truth      float64 `json:"truth"`
	Measured   float64 `json:"measured"`
	Tolerance  float64 `json:"tolerance"` // of |Measured - Truth|, in the unit

	TruthWord    string `json:"truth_word,omitempty"`
	MeasuredWord string `json:"measured_word,omitempty"`

	Pass bool `json:"pass"`
	// Told: the figure is shown only; there is no truth to compare it with.
	Told bool `json:"told,omitempty"`
	// Try is which one it is of the experiment's tries.
	Try int `json:"try"`
	// Note says what was wrong, when there is nothing to compare.
	Note string `json:"note,omitempty"`

	bends bool // a busy machine can make it wrong
}

// Error is how far the measurement is from the truth.
func (r Row) Error() float64 { return r.Measured - r.Truth }

// exact is a row of numbers that must be the same.
func exact(quantity string, truth, measured uint64) Row {
	return within(quantity, Packets, float64(truth), float64(measured), 0)
}

// within is a row of numbers that may differ by the tolerance.
func within(quantity string, unit Unit, truth, measured, tolerance float64) Row {
	return Row{Quantity: quantity, Unit: unit, Truth: truth, Measured: measured, Tolerance: tolerance,
		Pass: math.Abs(measured-truth) <= tolerance, bends: tolerance > 0}
}

func word(quantity, truth, measured string) Row {
	return Row{Quantity: quantity, TruthWord: truth, MeasuredWord: measured, Pass: truth == measured, bends: true}
}

func failed(quantity, format string, args ...any) Row {
	return Row{Quantity: quantity, Note: fmt.Sprintf(format, args...), bends: true}
}

// Passed reports whether all rows did.
func Passed(rows []Row) bool {
	for _, r := range rows {
		if !r.Pass {
			return false
		}
	}
	return len(rows) > 0
}
