package printable

import (
	"slices"
	"testing"
	"unicode"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ story, in, want string }{
		{"colours of a log", "\x1b[31mERR\x1b[0m down", "ERR down"},
		{"cut off in a sequence", "ERR \x1b[31", "ERR 31"},
		{"bell and clear screen", "a\a\x1b[2Jb", "a b"},
		{"lines become one", "a\r\n\tb", "a b"},
		{"C1, and writing turned around", "a\u009b31mb\u202ec", "a 31mb c"},
	} {
		if got := Line(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.story, got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	if got, want := Lines("\x1b[31ma\tb\x1b[0m\r\n\n c\u009b\n\n"), []string{"a    b", "", " c"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Lines("\n"); got != nil {
		t.Errorf("%q of nothing", got)
	}
}

func TestOnly(t *testing.T) {
	const text = "a\x1b[0m\n\u202eb"
	for _, c := range []struct {
		instead   rune
		but, want string
	}{
		{-1, "", "a[0mb"}, {' ', "", "a [0m  b"}, {unicode.ReplacementChar, "\n", "a\ufffd[0m\n\ufffdb"},
	} {
		if got := Only(text, c.instead, c.but); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.instead, c.but, got, c.want)
		}
	}
}
