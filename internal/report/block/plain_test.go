package block

import "testing"

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ story, in, want string }{
		{"colours of a log", "\x1b[31mERR\x1b[0m down", "ERR down"},
		{"cut off in a sequence", "ERR \x1b[31", "ERR 31"},
		{"bell and clear screen", "a\a\x1b[2Jb", "a b"},
		{"lines become one", "a\r\n\tb", "a b"},
	} {
		if got := Printable(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.story, got, c.want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	got := CommandLine([]string{"upflab", "run", "--set", "loads=150k,max", "--out", "a b", "it's", ""})
	if want := `upflab run --set loads=150k,max --out 'a b' 'it'\''s' ''`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
