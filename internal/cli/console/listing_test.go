package console

import (
	"strings"
	"testing"
)

// TestListsFitATerminal: a list keeps the width of a terminal, from 40 columns.
func TestListsFitATerminal(t *testing.T) {
	l := Listing{Head: []string{"DUT", "MODES", "WHAT"}, Rows: [][]string{
		{"builtin", "xdp, xdp-generic, afpacket", "the reference UPF that upflab carries, with several ways to move packets"},
		{"wire", "-", "no UPF"}}}
	for _, width := range []int{40, 60, 80, 200} {
		var b strings.Builder
		l.Table(&b, width)
		for _, line := range strings.Split(b.String(), "\n") {
			if len(line) > width {
				t.Errorf("%d columns: %q", width, line)
			}
		}
		if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), "several ways to move packets") {
			t.Errorf("%d columns: something is missing:\n%s", width, b.String())
		}
	}
}
