package calibration

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/printable"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Expired says by what this machine differs from itself when it was last calibrated: "kernel (6.1.0, now
// 6.1.2)". "": it has no other calibration, or it is not known.
func Expired(dir string, h record.Host, now time.Time) string {
	names, _ := filepath.Glob(filepath.Join(dir, "*.json")) // a pattern without brackets
	var last *File
	for _, name := range names {
		if f := other(name, h, now); f != nil && (last == nil || f.last().After(last.last())) {
			last = f
		}
	}
	if last == nil {
		return ""
	}
	was := map[string]string{}
	for _, t := range last.Traits {
		was[t.Name] = t.Value
	}
	var changed []string
	for _, t := range h.Traits() {
		if old, known := was[t.Name]; known && old != t.Value {
			changed = append(changed, fmt.Sprintf("%s (%s, now %s)", t.Name, shown(old), shown(t.Value)))
		}
	}
	return strings.Join(changed, ", ")
}

// other is a calibration of this host with another fingerprint; nil: the file is none.
func other(name string, h record.Host, now time.Time) *File {
	data, err := safefile.Read(name, mostBytes)
	if err != nil {
		return nil
	}
	var f File
	if json.Unmarshal(data, &f) != nil || f.Schema != Schema || f.Machine == h.Fingerprint() || len(f.Traits) == 0 || len(f.Runs) == 0 || f.check(now) != nil {
		return nil
	}
	return &f
}

func (f *File) last() time.Time { return f.Runs[len(f.Runs)-1].Started }

// shown is a value in a sentence.
func shown(value string) string {
	const most = 60 // octets
	value = printable.Line(value)
	switch {
	case value == "":
		return "none"
	case len(value) > most:
		return value[:most] + "..."
	}
	return value
}
