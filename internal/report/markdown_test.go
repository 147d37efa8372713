package report

import (
	"strings"
	"testing"
)

func TestMarkdownGolden(t *testing.T) {
	for name, r := range variants(t) {
		t.Run(name, func(t *testing.T) { golden(t, name+".md", render(t, Markdown, r)) })
	}
}

// TestMarkdownTablesAreWhole counts the cells: a foreign "|" would shift them.
func TestMarkdownTablesAreWhole(t *testing.T) {
	r := sample(t)
	r.DUTs[1].Version = "v0|7\n| evil |"
	r.DUTs[1].Trials[0].Reasons = []string{"a | b", "<script>alert(1)</script>"}
	out := string(render(t, Markdown, r))
	if strings.Contains(out, "<script>") {
		t.Error("markup got through")
	}
	want := 0
	for _, line := range strings.Split(out, "\n") {
		cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			want = 0
		case want == 0:
			want = cells
		case cells != want:
			t.Errorf("%d cells of %d: %s", cells-1, want-1, line)
		}
	}
}
