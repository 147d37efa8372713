package trends

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/results/history"
)

// TestDoubts: what could not be read, and what a clock did, is named.
func TestDoubts(t *testing.T) {
	now := time.Now()
	h := History{Notes: []string{"folder x cannot be opened"}, Runs: []*history.Run{
		{Path: "cut", Unreadable: "/r/cut/result.json: the file ends in the middle of a value"},
		{Path: "good", Started: now.Add(-time.Hour), Finished: now.Add(-time.Hour + time.Minute)},
		{Path: "under-way", Started: now.Add(-time.Minute)},
		{Path: "back", Started: now.Add(-time.Hour), Finished: now.Add(-2 * time.Hour)},
		{Path: "ahead", Started: now.Add(48 * time.Hour), Finished: now.Add(49 * time.Hour)},
	}}
	section := h.unreadable()
	if len(section.Blocks) != 1 {
		t.Fatalf("%d blocks", len(section.Blocks))
	}
	text := fmt.Sprint(section.Blocks[0].(block.List).Items)
	for _, want := range []string{"folder x cannot be opened", "not read: /r/cut",
		"back ends before it starts: the machine's clock was set back", "ahead starts in the future"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	for _, fine := range []string{"good", "under-way"} {
		if strings.Contains(text, fine+" ") {
			t.Errorf("%s is doubted: %s", fine, text)
		}
	}
}

// TestNewest: pages of large stores show the newest runs.
func TestNewest(t *testing.T) {
	h := History{Newest: 3}
	for n := range 10 {
		h.Runs = append(h.Runs, &history.Run{Path: fmt.Sprint("run-", n), Complete: true})
	}
	if rows := RunTable(h).Rows; len(rows) != 3 || rows[0].Cells[5].Text != "run-9" {
		t.Errorf("%d rows: %v", len(rows), rows)
	}
	if text := fmt.Sprint(h.runs().Blocks); !strings.Contains(text, "The newest 3 of 10") {
		t.Errorf("it is not said that there are more: %s", text)
	}
	h.Newest = 0
	if rows := RunTable(h).Rows; len(rows) != 10 {
		t.Errorf("%d rows of 10", len(rows))
	}
}
