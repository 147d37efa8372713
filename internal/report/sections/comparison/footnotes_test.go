package comparison

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/report/block"
)

// TestFootnotesOfHiddenRows: a terminal has no footnote that none of its rows refers to; a page has all.
func TestFootnotesOfHiddenRows(t *testing.T) {
	var notes footnotes
	for _, c := range []struct {
		why   string
		shown bool
		mark  string
	}{{"hidden", false, " (1)"}, {"", true, ""}, {"both", false, " (2)"}, {"both", true, " (2)"}, {"seen", true, " (3)"}} {
		if mark := notes.mark(c.why, c.shown); mark != c.mark {
			t.Errorf("%s: %q, want %q", c.why, mark, c.mark)
		}
	}
	want := map[block.Format][]string{block.Text: {"(2) both", "(3) seen"}, block.Pages: {"(1) hidden", "(2) both", "(3) seen"}}
	for _, b := range notes.section().Blocks {
		var got []string
		for _, item := range b.(block.List).Items {
			got = append(got, item.Text)
		}
		if in := b.(block.List).Only; !slices.Equal(got, want[in]) {
			t.Errorf("in %v: %q, want %q", in, got, want[in])
		}
	}
	if only := (footnotes{{"hidden", false}}).section().Only; only != block.Pages {
		t.Errorf("a section of nothing that a terminal shows is in %v", only)
	}
}
