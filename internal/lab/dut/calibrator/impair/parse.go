package impair

import (
	"fmt"
	"strings"
)

// ParameterError is a wrong parameter. Its text ends with what there is.
type ParameterError struct{ Parameter, Problem string }

// Error implements error.
func (e *ParameterError) Error() string {
	var list strings.Builder
	for _, k := range keys() {
		fmt.Fprintf(&list, "\n  %-13s %-20s %s", k.name, k.form, k.what)
	}
	return fmt.Sprintf("calibrator: %s: %s; parameters are NAME=VALUE with commas between, "+
		"for one direction with uplink. or downlink. before the name:%s", e.Parameter, e.Problem, list.String())
}

// Parse reads a plan as a user writes it, "loss=0.01,downlink.delay=250us". The
// empty text is the plan that does nothing. The error is a *ParameterError.
func Parse(text string) (Plan, error) {
	all, err := split(text)
	if err != nil {
		return Plan{}, err
	}
	var plan Plan
	for _, side := range []struct {
		prefix string
		p      *Parameters
	}{{"uplink.", &plan.Uplink}, {"downlink.", &plan.Downlink}} {
		if err := side.p.set(own(all, side.prefix)); err != nil {
			return Plan{}, err
		}
	}
	if _, given := all["uplink.wrong-teid"]; given {
		return Plan{}, &ParameterError{"uplink.wrong-teid", "a packet towards N6 has no TEID: it is for downlink alone"}
	}
	plan.Uplink.WrongTEID = Chance{}
	return plan, nil
}

// split takes the text apart; an assignment is found by its name with prefix.
func split(text string) (map[string]string, error) {
	all := map[string]string{}
	if strings.TrimSpace(text) == "" {
		return all, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(strings.TrimSpace(part), "=")
		_, twice := all[name]
		switch {
		case !found || value == "":
			return nil, &ParameterError{fmt.Sprintf("%q", part), "a value is missing"}
		case twice:
			return nil, &ParameterError{name, "is given twice"}
		case !known(name):
			return nil, &ParameterError{name, "there is no such parameter"}
		}
		all[name] = value
	}
	return all, nil
}

// known takes a name with or without a direction's prefix.
func known(name string) bool {
	if way, rest, found := strings.Cut(name, "."); found && (way == "uplink" || way == "downlink") {
		name = rest
	}
	for _, k := range keys() {
		if k.name == name {
			return true
		}
	}
	return false
}

// own is what the assignments mean for one direction: those with its prefix win.
func own(all map[string]string, prefix string) map[string]string {
	mine := map[string]string{}
	for _, k := range keys() {
		if value, ok := all[k.name]; ok {
			mine[k.name] = value
		}
		if value, ok := all[prefix+k.name]; ok {
			mine[k.name] = value
		}
	}
	return mine
}

// set fills the parameters and checks that they go together.
func (p *Parameters) set(values map[string]string) error {
	for _, k := range keys() {
		value, given := values[k.name]
		if !given {
			continue
		}
		if err := k.set(p, value); err != nil {
			return &ParameterError{k.name + "=" + value, err.Error()}
		}
		if k.needs != "" && values[k.needs] == "" {
			return &ParameterError{k.name, "means nothing without " + k.needs}
		}
	}
	if p.Jitter > p.Delay && p.Distribution != Normal {
		return &ParameterError{"jitter", fmt.Sprintf("%v is more than the delay, %v: a packet cannot leave before it came", p.Jitter, p.Delay)}
	}
	return nil
}
