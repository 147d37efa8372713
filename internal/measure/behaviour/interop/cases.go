package interop

import (
	"embed"
	"fmt"
	"strings"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/text/safefile"
	"github.com/upflab/upflab/internal/text/selection"
)

// Extension is that of a dialect's file.
const Extension = ".n4"

//go:embed dialects/*.n4
var files embed.FS

// Dialects are those that upflab has.
func Dialects() (list []*Dialect) {
	entries, _ := files.ReadDir("dialects") // is embedded
	for _, f := range entries {
		text, _ := files.ReadFile("dialects/" + f.Name())
		d, err := Parse(string(text))
		if err != nil {
			panic(fmt.Sprintf("the dialect %s, which is part of the program, is wrong: %v", f.Name(), err))
		}
		list = append(list, d)
	}
	return list
}

// Read reads a dialect's file.
func Read(file string) (*Dialect, error) {
	text, err := safefile.Read(file, maxText)
	if err != nil {
		return nil, fmt.Errorf("read the dialect: %w; `upflab interop record` makes one from a capture", err)
	}
	d, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("the dialect %s cannot be played: %w", file, err)
	}
	return d, nil
}

// Groups describes the cases, as package cases does its groups.
func Groups() [][2]string {
	return [][2]string{{"interop", "N4 conversations of SMFs, with packets each way"}}
}

// Cases are those of dialects.
func Cases(list []*Dialect) (out []b.Case) {
	for _, d := range list {
		out = append(out, b.Case{ID: "interop." + d.Name, Title: "it does what this SMF asks: " + strings.TrimSpace(d.Source),
			Clause: "TS 29.244 6.2.6, 6.3", Upsets: true, Steps: d.steps})
	}
	return out
}

// Select gives the cases of some names, of the dialects that upflab has and of files.
func Select(dialects, names []string) ([]b.Case, error) {
	list := Dialects()
	for _, file := range dialects {
		d, err := Read(file)
		if err != nil {
			return nil, err
		}
		for _, other := range list {
			if other.Name == d.Name {
				return nil, fmt.Errorf("the dialect %s has the name %s, which another one has: give it another in its first line", file, d.Name)
			}
		}
		list = append(list, d)
	}
	return selection.Of(Cases(list), func(c *b.Case) string { return c.ID }, "dialect", names)
}
