package block

import (
	"strings"
	"unicode"
)

// Printable makes a text safe for a terminal and for one line: control
// characters, which a DUT's log may hold, become spaces.
func Printable(s string) string {
	return strings.Join(strings.FieldsFunc(withoutEscapes(s), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
}

// PrintableLines does the same and keeps the lines.
func PrintableLines(s string) []string {
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

// CommandLine writes a command so that a shell reads it back.
func CommandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(Printable(arg))
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

// PageURL keeps an address only if a browser would open it as a page.
func PageURL(url string) string {
	url = Printable(url)
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || strings.ContainsAny(url, "<>\"` ") {
		return "about:blank"
	}
	return url
}
