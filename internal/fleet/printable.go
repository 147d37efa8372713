package fleet

import (
	"strings"
	"unicode"
)

// OneLine makes one line of a text that may be a stranger's: what is not printable, as newlines and
// the escapes that control a terminal, becomes a space.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}

// Printable is OneLine of at most 300 characters.
func Printable(text string) string {
	const most = 300
	clean := []rune(OneLine(text))
	if len(clean) > most {
		return string(clean[:most]) + "..."
	}
	return string(clean)
}
