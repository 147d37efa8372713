package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes a text safe for a terminal and for one line: control
// characters, which a DUT's log may hold, become spaces.
func printable(s string) string {
	return strings.Join(strings.FieldsFunc(withoutEscapes(s), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
}

// printableLines does the same and keeps the lines.
func printableLines(s string) []string {
	s = strings.TrimRight(withoutEscapes(s), "\n")
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.Map(keepPrintable, strings.ReplaceAll(line, "\t", "    "))
	}
	return lines
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

func keepPrintable(r rune) rune {
	if !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// wrap breaks a text into lines of at most width characters between words; a
// word that is longer stays whole.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// pad fills to width characters, before the text when right is set.
func pad(s string, width int, right bool) string {
	fill := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
	if right {
		return fill + s
	}
	return s + fill
}

// commandLine writes a command so that a shell reads it back.
func commandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(printable(arg))
	}
	return strings.Join(quoted, " ")
}

func quote(arg string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:=,@%+", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
