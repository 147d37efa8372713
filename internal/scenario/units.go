package scenario

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/scenario/schema"
)

// ParseLoad reads an offered load: "max", "recorded", "auto", or a rate as ParseRate takes
// it.
func ParseLoad(text string) (record.Load, error) {
	switch strings.TrimSpace(text) {
	case "max":
		return record.Load{}, nil
	case "recorded":
		return record.Load{Kind: record.LoadRecorded}, nil
	case "auto":
		return record.Load{Kind: record.LoadAuto}, nil
	}
	return ParseRate(text)
}

// ParseRate reads a rate in packets/s: "150000", "150k", "1.5M", "960kpps".
// The factors are decimal: k is 1000, M 1 000 000, G 1 000 000 000. The rate
// is above 0.
func ParseRate(text string) (record.Load, error) {
	pps, err := record.ParsePPS(text)
	switch {
	case errors.Is(err, record.ErrRateUnit):
		_, unit := splitUnit(text)
		return record.Load{}, fmt.Errorf("%q has the unit %q; %w", text, unit, err)
	case err != nil:
		return record.Load{}, fmt.Errorf("%q is not a rate; %w", text, err)
	case pps == 0:
		return record.Load{}, fmt.Errorf("%q sends nothing; a rate is above 0 (as fast as possible is written max)", text)
	}
	return record.Load{PPS: pps}, nil
}

// ParseDuration reads a time with its unit: "3s", "500ms", "1m", "1m30s"; "0"
// needs none.
func ParseDuration(text string) (Duration, error) {
	text = strings.TrimSpace(text)
	if isDecimal(text) && strings.Trim(text, "0.") != "" {
		return Duration{}, fmt.Errorf("%q has no unit; write %ss, %sms or %sm", text, text, text, text)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return Duration{}, fmt.Errorf("%q is not a duration; write it as 3s, 500ms, 1m or 1m30s", text)
	}
	return Duration{d}, nil
}

// ParseSize reads a number of bytes: "1400" or "1400B".
func ParseSize(text string) (int, error) {
	number, unit := splitUnit(text)
	if unit != "" && unit != "B" && number != "" {
		return 0, fmt.Errorf("%q has the unit %q; a size is in bytes, written 1400 or 1400B", text, unit)
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size; write whole bytes, as 1400 or 1400B", text)
	}
	return n, nil
}

// splitUnit cuts "960 kpps" into "960" and "kpps".
func splitUnit(text string) (number, unit string) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// isDecimal reports whether text is digits with at most one point.
func isDecimal(text string) bool {
	whole, part, _ := strings.Cut(text, ".")
	return whole+part != "" && strings.Trim(whole+part, "0123456789") == ""
}

// String writes the duration as a scenario does: "3s", "500ms", "1m".
func (d Duration) String() string {
	text := d.Duration.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// MarshalYAML writes the duration as String does.
func (d Duration) MarshalYAML() (any, error) { return d.String(), nil }

// UnmarshalYAML reads what ParseDuration takes.
func (d *Duration) UnmarshalYAML(decode func(any) error) error {
	var text string
	if err := decode(&text); err != nil {
		return err
	}
	parsed, err := ParseDuration(text)
	*d = parsed
	return err
}

// expand writes out items in their short form: "loose:0.01" for a goal with the keys
// name and loss_ratio. What does not fit is left to the schema.
func expand(root *document.Node) {
	for _, key := range schema.All() {
		if len(key.SetItem) == 0 {
			continue
		}
		for _, list := range root.FindAll(key.Path) {
			for i, item := range list.Items {
				list.Items[i] = long(item, key)
			}
		}
	}
}

// long is the section that a text with colons is short for.
func long(n *document.Node, list schema.Key) *document.Node {
	keys := list.SetItem
	text, ok := n.Scalar.(string)
	if n.Kind != document.ScalarKind || !ok {
		return n
	}
	section := &document.Node{At: n.At, Kind: document.MapKind}
	for i, part := range strings.SplitN(text, ":", len(keys)) {
		key, _ := schema.Named(schema.All(), list.Path+"."+keys[i])
		section.Fields = append(section.Fields, document.Field{Key: keys[i], At: n.At, Value: schema.Scalar(n.At.Source, key.Kinds, part, n.At.Column)})
	}
	return section
}
