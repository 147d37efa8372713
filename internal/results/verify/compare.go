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
			if has.number {
				counts[group(path)]++
			}
			continue
		}
		switch w, there := want.values[path]; {
		case !there:
			r.Differs = append(r.Differs, Difference{path, has.text, ""})
		case w.text != has.text:
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
		l.put(path+" ", leaf{text: open.String()}) // that it is there at all
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
		l.put(path, leaf{number.String(), true})
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

// groups say why a part of a result does not follow from raw data, the longer names first.
var groups = []struct{ what, why string }{
	{"duts[].trials", "their raw data were not kept"},
	{"duts[].setup", "measured while the UPF was brought up"},
	{"duts[].searches[].trials[].", "loads and durations that the search chose"},
	{"duts[].searches", "what the search was asked, and its length"},
	{"duts[].stress", "measured before the trials, and between them"},
	{"duts[].flows", "measured by the applications at the UEs"},
	{"duts[].control_plane", "measured at N4"},
	{"duts[].incidents", "measured in the incident"},
	{"duts[].cases", "measured by the case"},
	{"duts[]", "what is known of the UPF"},
	{"host", "read from the machine"},
	{"hosts", "read from the other machines"},
	{"cluster", "read from the cluster"},
	{"calibration", "measured by upflab calibrate"},
	{"study", "of the publication"},
	{"order", "the order of the visits"},
	{"until", "what the run was to know, and when it ended"},
	{"raw", "sizes of the raw files, whose SHA-256 is checked"},
}

// group is that of a path.
func group(path string) string {
	bare := indexes(path)
	for _, g := range groups {
		if strings.HasPrefix(bare, g.what) {
			return g.what
		}
	}
	name, _, _ := strings.Cut(bare, ".")
	return name
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
		if g.what == what {
			return g.why
		}
	}
	return "an input of the run"
}
