package block

import (
	"strings"
	"unicode"

	"github.com/upflab/upflab/internal/text/printable"
)

// Printable makes a text safe for a terminal and for one line: control
// characters, which a DUT's log may hold, become spaces.
func Printable(s string) string { return printable.Line(s) }

// PrintableLines does the same and keeps the lines.
func PrintableLines(s string) []string { return printable.Lines(s) }

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
