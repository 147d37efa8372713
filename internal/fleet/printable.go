package fleet

import "github.com/upflab/upflab/internal/text/printable"

// OneLine makes one line of a text that may be a stranger's: what is not printable, as newlines and
// the escapes that control a terminal, becomes a space.
func OneLine(text string) string { return printable.Only(text, ' ', "") }

// Printable is OneLine of at most 300 characters.
func Printable(text string) string {
	const most = 300
	clean := []rune(OneLine(text))
	if len(clean) > most {
		return string(clean[:most]) + "..."
	}
	return string(clean)
}
