// Package wrap breaks texts for people into the lines of a terminal.
package wrap

import (
	"strings"
	"unicode/utf8"
)

// Lines breaks a text between words into lines of at most width characters (1 or more). A word that is longer
// is cut. A text without words is one empty line.
func Lines(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		for utf8.RuneCountInString(word) > width {
			lines, word = append(lines, string([]rune(word)[:width])), string([]rune(word)[width:])
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}
