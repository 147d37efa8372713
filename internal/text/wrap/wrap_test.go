package wrap

import (
	"slices"
	"testing"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		story, text string
		width       int
		want        []string
	}{
		{"nothing", " ", 10, []string{""}},
		{"it fits", "one two", 7, []string{"one two"}},
		{"one character too many", "one two", 6, []string{"one", "two"}},
		{"spaces are one", "a  b\n c", 10, []string{"a b c"}},
		{"characters, not bytes", "µµ µµ", 5, []string{"µµ µµ"}},
		{"a long word is cut", "see abcdefgh ij", 4, []string{"see", "abcd", "efgh", "ij"}},
		{"and goes on in its last line", "abcdef gh", 5, []string{"abcde", "f gh"}},
	} {
		if got := Lines(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.story, got, c.want)
		}
	}
}
