package threshold

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
)

// Where is what a threshold is for; an empty list is all.
type Where struct {
	DUTs       []string // NAME[@BUILD][:MODE]
	Directions []record.Direction
	Loads      []record.Load
	Kinds      []string // of trials and flows: "latency", "tcp" ...
	Procedures []string // of N4: "establish", "mix" ...
	Sizes      []string // as the scenario writes them
	Arrivals   []string
}

// shareText is a load that is a share of a rate found: "50 % of NDR".
var shareText = regexp.MustCompile(`([0-9.]+) ?% of ([A-Za-z]+)`)

// parseWhere reads what stands behind the @.
func parseWhere(text string) (w Where, err error) {
	for _, m := range shareText.FindAllStringSubmatch(text, -1) {
		var l record.Load
		if err := l.UnmarshalText([]byte(m[1] + " % of " + m[2])); err != nil {
			return w, err
		}
		w.Loads = append(w.Loads, l)
	}
	words := strings.Fields(shareText.ReplaceAllString(text, ""))
	if len(words)+len(w.Loads) == 0 {
		return w, fmt.Errorf("nothing stands behind the @: %s", whereExample)
	}
	for _, word := range words {
		if err := w.add(word); err != nil {
			return w, err
		}
	}
	return w, nil
}

// isPlace reports whether a word behind an @ is a place, and no build of a DUT.
func isPlace(word string) bool {
	var w Where
	return w.add(word) == nil && len(w.DUTs) == 0
}

const whereExample = "name DUTs, directions, loads, latency, sizes, arrivals, kinds of flow or procedures, as in @ uplink 500k"

func (w *Where) add(word string) error {
	switch {
	case slices.Contains([]string{"uplink", "downlink", "both"}, word):
		w.Directions = append(w.Directions, record.Direction(word))
	case word == string(record.KindLatency), slices.Contains(record.FlowKinds(), word):
		w.Kinds = append(w.Kinds, word)
	case slices.Contains(procedures(), word):
		w.Procedures = append(w.Procedures, word)
	case slices.Contains([]string{"constant", "poisson", "bursts", "on-off", "replay"}, word):
		w.Arrivals = append(w.Arrivals, strings.TrimPrefix(word, "constant")) // which a trial does not name
	case slices.Contains([]string{"max", "recorded"}, word):
		w.Loads = append(w.Loads, record.Load{Kind: record.LoadKind(strings.TrimPrefix(word, "max"))})
	case isSize(word):
		w.Sizes = append(w.Sizes, octets(word))
	case label.MatchString(word):
		w.DUTs = append(w.DUTs, word)
	default:
		pps, err := record.ParsePPS(word)
		if err != nil {
			return fmt.Errorf("%q is not known here: %s", word, whereExample)
		}
		w.Loads = append(w.Loads, record.Load{PPS: pps})
	}
	return nil
}

// procedures are those whose rates control.procedures can ask for.
func procedures() []string {
	return []string{"establish", "modify", "delete", "attach", "detach", "idle", "active", "handover", "qos", "mix"}
}

// octetsText is a size by its UDP payload with its unit: a bare number is a load.
var octetsText = regexp.MustCompile(`^[0-9]+B$`)

func isSize(word string) bool {
	for _, prefix := range []string{"frame:", "inner:", "payload:", "genome:"} {
		if strings.HasPrefix(word, prefix) {
			return true
		}
	}
	return word == "imix" || octetsText.MatchString(word)
}

// octets is a size by its UDP payload without what else may stand around the number: 64 of
// payload:64 and of 64B. Other sizes stay as they are.
func octets(size string) string { return strings.TrimSuffix(strings.TrimPrefix(size, "payload:"), "B") }

// has reports whether a list names one; an empty list names all.
func has[T comparable](list []T, one T) bool { return len(list) == 0 || slices.Contains(list, one) }

// names reports whether a list of DUTs names one, by its name or its label.
func names(list []string, d *record.DUT) bool {
	return slices.ContainsFunc(list, func(name string) bool { return SameDUT(name, d.Label()) })
}

// takes reports whether a place is one of those meant.
func (w Where) takes(p figure.Place) bool {
	load := p.Load
	switch load.Kind { // of which a threshold names no more than this
	case record.LoadShare:
		load.PPS, load.OfDUT = 0, ""
	case record.LoadRecorded:
		load.PPS = 0
	case record.LoadSoak:
		load.Kind = record.LoadRate
	}
	return has(w.Directions, p.Direction) && has(w.Kinds, string(p.Kind)) && has(w.Sizes, octets(p.Size)) &&
		has(w.Arrivals, p.Arrivals) && has(w.Procedures, p.Procedure) &&
		(len(w.Loads) == 0 || slices.Contains(w.Loads, load))
}

// Named lists the DUTs that a threshold names.
func (t Threshold) Named() []string {
	if t.Limit.Of == "" {
		return t.Where.DUTs
	}
	return append(slices.Clone(t.Where.DUTs), t.Limit.Of)
}

// SameDUT reports whether a name, NAME[@BUILD] or NAME[@BUILD]:MODE, means the DUT of a label.
func SameDUT(name, label string) bool {
	bare, _, _ := strings.Cut(label, ":")
	return name == label || name == bare
}
