package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// compare holds the text of a result against what was computed again.
func compare(text []byte, again *record.Result, c *coverage) (*Report, error) {
	given, err := leavesOf(text)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(again)
	if err != nil {
		return nil, fmt.Errorf("what the raw data come to cannot be written: %w", err)
	}
	want, err := leavesOf(encoded)
	if err != nil {
		return nil, err
	}
	return compareLeaves(given, want, c), nil
}

func compareLeaves(given, want *leaves, c *coverage) *Report {
	r := &Report{Trials: c.trials}
	counts := map[string]int{}
	for _, path := range given.order {
		has := given.values[path]
		if !c.holds(path) {
			if !has.open {
				counts[group(path)]++
			}
			continue
		}
		switch w, there := want.values[path]; {
		case !there:
			r.Differs = append(r.Differs, Difference{path, has.text, ""})
		case !has.same(w):
			r.Differs = append(r.Differs, Difference{path, has.text, w.text})
		default:
			r.Agree++
		}
	}
	for _, path := range want.order {
		if _, there := given.values[path]; !there && c.holds(path) {
			r.Differs = append(r.Differs, Difference{path, "", want.values[path].text})
		}
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		r.Not = append(r.Not, Not{what, why(what), counts[what]})
	}
	return r
}

// holds reports whether a value was computed again.
func (c *coverage) holds(path string) bool {
	within := func(p string) bool {
		return path == p || strings.HasPrefix(path, p) && strings.ContainsAny(path[len(p):len(p)+1], ".[ ")
	}
	return slices.ContainsFunc(c.paths, within) && !slices.ContainsFunc(c.except, within)
}

// leaves are the values of a JSON text by their paths.
type leaves struct {
	order  []string
	values map[string]leaf
}

type leaf struct {
	text   string // as JSON
	number bool
	open   bool // that an object or a list is there
}

// same reports whether two values are one.
func (l leaf) same(other leaf) bool {
	return l.text == other.text || l.number && other.number && sameNumber(l.text, other.text)
}

func leavesOf(text []byte) (*leaves, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	l := &leaves{values: map[string]leaf{}}
	if err := l.read(d, ""); err != nil {
		return nil, fmt.Errorf("reading the result as JSON: %w", err)
	}
	return l, nil
}

// read takes a value, in the order of the text.
func (l *leaves) read(d *json.Decoder, path string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	open, nested := token.(json.Delim)
	if !nested {
		return l.leaf(path, token)
	}
	if path != "" {
		l.put(path+" ", leaf{text: open.String(), open: true}) // that it is there at all
	}
	for n := 0; d.More(); n++ {
		at := fmt.Sprintf("%s[%d]", path, n)
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			at = strings.TrimPrefix(path+"."+fmt.Sprint(key), ".")
		}
		if err := l.read(d, at); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

func (l *leaves) leaf(path string, token json.Token) error {
	number, is := token.(json.Number)
	if is {
		l.put(path, leaf{text: number.String(), number: true})
		return nil
	}
	text, err := json.Marshal(token)
	if err != nil {
		return errors.New("a value that is no JSON")
	}
	l.put(path, leaf{text: string(text)})
	return nil
}

func (l *leaves) put(path string, v leaf) {
	l.order = append(l.order, path)
	l.values[path] = v
}

// groups say why a part of a result does not follow from raw data, the longer names first. One that ends in a dot
// is of fields, each of which is listed.
var groups = []struct{ what, why string }{
	{"duts[].trials[].reasons", "what the run noted of its attempts"},
	{"duts[].trials", "their raw data were not kept"},
	{"duts[].setup", "measured while the UPF was brought up"},
	{"duts[].searches[].trials[].", "a time, or its raw data were not kept"},
	{"duts[].searches[].", "what the search was asked, and its length"},
	{"duts[].stress", "measured before the trials, and between them"},
	{"duts[].flows", "measured by the applications at the UEs"},
	{"duts[].control_plane", "measured at N4"},
	{"duts[].incidents", "measured in the incident"},
	{"duts[].cases", "measured by the case"},
	{"duts[].", "what is known of the UPF"},
	{"hosts", "read from the other machines"},
	{"host", "read from the machine"},
	{"neighbours", "read from the machine"},
	{"cluster", "read from the cluster"},
	{"calibration", "measured by upflab calibrate"},
	{"study", "of the publication"},
	{"order", "the order of the visits"},
	{"until", "what the run was to know, and when it ended"},
	{"raw", "sizes of the raw files, whose SHA-256 is checked"},
	{"started", "the clock of the machine"},
	{"finished", "the clock of the machine"},
	{"complete", "what the run says of itself"},
	{"notes", "what the run noted"},
	{"engine", "chosen by the run"},
	{"tool", "the upflab that made the run"},
	{"command", "how the run was called"},
}

// group is that of a path.
func group(path string) string {
	bare := indexes(path)
	for _, g := range groups {
		rest, is := strings.CutPrefix(bare, g.what)
		switch {
		case !is:
		case strings.HasSuffix(g.what, "."):
			return g.what + name(rest)
		case rest == "" || strings.ContainsAny(rest[:1], ".["):
			return g.what
		}
	}
	return name(bare)
}

// name is the first of a path.
func name(path string) string {
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end]
	}
	return path
}

// indexes takes the numbers out of a path: "duts[].trials[]".
func indexes(path string) string {
	var b strings.Builder
	inside := false
	for _, r := range path {
		if r == ']' {
			inside = false
		}
		if !inside {
			b.WriteRune(r)
		}
		if r == '[' {
			inside = true
		}
	}
	return b.String()
}

func why(what string) string {
	for _, g := range groups {
		if g.what == what || strings.HasSuffix(g.what, ".") && strings.HasPrefix(what, g.what) {
			return g.why
		}
	}
	return "an input of the run"
}
