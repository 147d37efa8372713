package upf

import (
	"strings"
	"testing"
)

// TestHostileConfig: aliases, depth and thousands of wrong values are refused, and fast.
func TestHostileConfig(t *testing.T) {
	for text, want := range map[string]string{
		"n4: &a {address: 127.0.0.8}\nn3: *a\n":                               "aliases",
		"smf: " + strings.Repeat("[", 30000):                                  "nested too deep",
		"ue_pool: [" + strings.Repeat("x,", 20000) + "y]\n":                   "are the most",
		"smf: [" + strings.Repeat("x,", 1000) + "y]\n":                        "more problems are not listed",
		strings.Repeat("# a comment that makes the file too large\n", 100000): "is it the right file?",
	} {
		_, err := ParseConfig("upf.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 1<<20 {
			t.Errorf("%.30q: %.200v, want %q", text, err, want)
		}
	}
}
