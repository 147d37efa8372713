package junit

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
)

// thresholdTests is a test for each threshold of a DUT; "" is of none.
func thresholdTests(label string, list []record.Threshold) (tests []test) {
	for _, t := range list {
		if t.DUT != label {
			continue
		}
		one := test{Class: strings.TrimPrefix(label+".thresholds", "."), Name: t.Expression}
		if t.Where != "" {
			one.Name += ", " + t.Where
		}
		switch t.Outcome {
		case record.OutcomeFail:
			one.Failure = &problem{Message: failure(t), Type: "threshold"}
		case record.OutcomeCannotTell:
			one.Error = &problem{Message: "cannot tell: " + t.Why, Type: "threshold"}
		}
		tests = append(tests, one)
	}
	return tests
}

// failure is "0.90 Mpps, which is not >= 1.00 Mpps, in 3 of 3 repeats".
func failure(t record.Threshold) string {
	unit := figure.Unit(t.Unit)
	operator := "within"
	for _, o := range []string{">=", "<=", "==", ">", "<"} {
		if strings.Contains(t.Expression, o) {
			operator = o
			break
		}
	}
	return fmt.Sprintf("%s, which is not %s %s, in %d of %d repeats", figure.Write(*t.Value, unit), operator,
		figure.Write(*t.Limit, unit), t.Repeats-t.Kept, t.Repeats)
}

// measurements is a test for each trial and flow; those that are not valid are skipped.
func measurements(label string, d *record.DUT) (tests []test) {
	add := func(name string, repeat int, seconds float64, valid bool, reasons []string) {
		t := test{Class: label + ".measurements", Name: fmt.Sprintf("%s, repeat %d", name, repeat), Seconds: fmt.Sprintf("%.3f", seconds)}
		if !valid {
			t.Skipped = &problem{Message: "not valid: " + strings.Join(reasons, "; ")}
		}
		tests = append(tests, t)
	}
	for i := range d.Trials {
		t := &d.Trials[i]
		add(figure.OfTrial(t).Words(t.Size != ""), t.Repeat, t.DurationS, t.Valid, t.Reasons)
	}
	for i := range d.Flows {
		f := &d.Flows[i]
		add(figure.OfFlow(f).Words(false), f.Repeat, f.DurationS, f.Valid, f.Reasons)
	}
	return tests
}
