package threshold

import (
	"fmt"
	"slices"
	"strings"
)

// CheckNames refuses thresholds that name what is no DUT of a run, or that compare a DUT with itself; labels are
// NAME:MODE of all of the run. A word that is spelled wrong reads like the name of a DUT.
func CheckNames(list []Threshold, labels []string) error {
	for _, t := range list {
		if err := t.checkNames(labels); err != nil {
			return fmt.Errorf("the threshold %q %w", t.Text, err)
		}
	}
	return nil
}

func (t Threshold) checkNames(labels []string) error {
	of := func(name string) int {
		return slices.IndexFunc(labels, func(l string) bool { return SameDUT(name, l) })
	}
	has := strings.Join(labels, ", ")
	for _, name := range t.Where.DUTs {
		if of(name) < 0 {
			return fmt.Errorf("names %s, which is not in this run: it has %s; %s", name, has, whereExample)
		}
	}
	if t.Limit.Of == "" {
		return nil
	}
	at := of(t.Limit.Of)
	if at < 0 {
		return fmt.Errorf("names %s, which is not in this run: it has %s", t.Limit.Of, has)
	}
	if slices.ContainsFunc(t.Where.DUTs, func(name string) bool { return SameDUT(name, labels[at]) }) {
		return fmt.Errorf("compares %s with itself: name another DUT, of %s", labels[at], has)
	}
	return nil
}
