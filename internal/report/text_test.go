package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextGolden(t *testing.T) {
	for name, r := range variants(t) {
		t.Run(name, func(t *testing.T) { golden(t, name+".txt", render(t, Text, r)) })
	}
}

func TestTextFitsATerminal(t *testing.T) {
	for name, r := range variants(t) {
		for _, line := range strings.Split(string(render(t, Text, r)), "\n") {
			if n := utf8.RuneCountInString(line); n > textWidth {
				t.Errorf("%s: %d characters: %q", name, n, line)
			}
			if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
				t.Errorf("%s: control character in %q", name, line)
			}
		}
	}
}
