package selftest

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
)

// Print writes the rows as a table, one part for each experiment. Of rows of
// counts that are as they should be only the sum is shown, unless all is set.
func Print(w io.Writer, rows []Row, all bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	last, good := "", 0
	counted := func() {
		if good > 0 {
			fmt.Fprintf(t, "  %d other counts\t\t\t\texact\t0\tok\n", good)
		}
		good = 0
	}
	for _, r := range rows {
		if head := r.Experiment + ": " + r.Device; head != last {
			counted()
			last = head
			fmt.Fprintf(t, "%s%s\t\t\t\t\t\t\n", head, r.again())
			fmt.Fprintf(t, "  quantity\ttrial\ttruth\tmeasured\terror\ttolerance\t\n")
		}
		if !all && r.plain() {
			good++
			continue
		}
		fmt.Fprintf(t, "  %s\n", r.line())
	}
	counted()
	return t.Flush()
}

// plain is a count that is right and shows nothing of what the device did.
func (r Row) plain() bool { return r.Pass && r.Unit == Packets && r.Truth == 0 && r.Tolerance == 0 }

func (r Row) again() string {
	if r.Try > 1 {
		return fmt.Sprintf(" (try %d of %d)", r.Try, tries)
	}
	return ""
}

func (r Row) line() string {
	verdict := "ok"
	if !r.Pass {
		verdict = "WRONG"
	}
	switch {
	case r.Note != "":
		return fmt.Sprintf("%s\t%s\t%s\t\t\t\t%s", r.Quantity, r.Trial, r.Note, verdict)
	case r.Told && r.Unit == Word:
		return fmt.Sprintf("%s\t%s\t\t\t\t\t", r.Quantity, r.Trial)
	case r.Told:
		return fmt.Sprintf("%s\t%s\t\t%s\t\t\t", r.Quantity, r.Trial, number(r.Measured, r.Unit))
	case r.Unit == Word:
		return fmt.Sprintf("%s\t%s\t%s\t%s\t\t\t%s", r.Quantity, r.Trial, r.TruthWord, r.MeasuredWord, verdict)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s", r.Quantity, r.Trial, number(r.Truth, r.Unit), number(r.Measured, r.Unit),
		number(r.Error(), r.Unit), number(r.Tolerance, r.Unit), verdict)
}

// number writes a value with its unit: times in us.
func number(v float64, u Unit) string {
	switch u {
	case Nanoseconds:
		return fmt.Sprintf("%.1f µs", v/1e3)
	case PerSecond:
		return fmt.Sprintf("%.0f pps", v)
	case BitsPerS:
		return fmt.Sprintf("%.4f Mbit/s", v/1e6)
	case Octets:
		return fmt.Sprintf("%.0f octets", v)
	case Percent:
		return fmt.Sprintf("%.2f %%", v)
	}
	if v == float64(int64(v)) {
		return strconv.FormatInt(int64(v), 10)
	}
	return fmt.Sprintf("%.2f", v)
}
