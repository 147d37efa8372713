// Package printable makes texts of others, as of a DUT's log or of another host, safe to show:
// they control no terminal.
package printable

import (
	"strings"
	"unicode"
)

// Line makes one line of a text: control sequences are taken out, and white space and what else
// is not printable become one space.
func Line(s string) string {
	return strings.Join(strings.FieldsFunc(withoutEscapes(s), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
}

// Lines does the same and keeps the lines, and the white space in them.
func Lines(s string) []string {
	s = strings.TrimRight(withoutEscapes(s), "\n")
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Only(strings.ReplaceAll(line, "\t", "    "), -1, "")
	}
	return lines
}

// Only replaces what is not printable, rune by rune, but for the runes of but; -1 leaves it out.
func Only(s string, instead rune, but string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || strings.ContainsRune(but, r) {
			return r
		}
		return instead
	}, s)
}

// withoutEscapes takes out the control sequences with which programs colour
// their logs (ECMA-48 clause 5.4: ESC [ parameters final).
func withoutEscapes(s string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		final := strings.IndexFunc(after, func(r rune) bool { return r >= '@' && r <= '~' })
		s = after[final+1:]
	}
}
