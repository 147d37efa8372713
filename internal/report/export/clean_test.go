package export

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"unicode"

	"github.com/upflab/upflab/internal/record"
)

// hostile sets a terminal's title and clears it, begins a sequence by a C1 character and turns the
// writing around; a spreadsheet takes it for a formula that starts a program.
const hostile = "=cmd|' /C calc'!A0\x1b]0;title\x07\x1b[2J\u009b31m\r\u202e"

// TestExportOfAStrangersResult: in no format a text of a result controls a terminal, and no cell of
// the table is a formula.
func TestExportOfAStrangersResult(t *testing.T) {
	r := sample()
	r.Run, r.Scenario = hostile, "\x1b[0m@SUM(1)"
	r.Thresholds[0].Expression, r.Thresholds[0].Where = hostile, hostile
	d := &r.DUTs[0]
	d.Name, d.Version = hostile, "-"+hostile
	for i := range d.Trials {
		d.Trials[i].Direction, d.Trials[i].LimitedBy = record.Direction(hostile), "+"+hostile
	}
	for format, write := range writers {
		var b bytes.Buffer
		if err := write(&b, r); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		text := b.String()
		if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
			t.Errorf("%s: %.120q", format, text[max(0, at-60):])
		}
		if format != "csv" {
			continue
		}
		lines, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(lines) < 10 {
			t.Fatalf("%d lines, %v", len(lines), err)
		}
		for _, line := range lines {
			for _, c := range line {
				if strings.IndexAny(c, "=+-@") == 0 {
					t.Fatalf("the cell %q is a formula", c)
				}
			}
		}
	}
}

// TestLabelsThatCleaningMakesEqual: Prometheus takes no metric twice, and texts that differ in no
// more than what a label leaves out make the same one.
func TestLabelsThatCleaningMakesEqual(t *testing.T) {
	r := sample()
	again := r.Thresholds[0]
	again.Expression, again.Outcome = strings.Replace(again.Expression, " ", "  ", 1), record.OutcomeFail
	r.Thresholds = append(r.Thresholds, again)
	for i, process := range []string{"p", " p\x1b[0m"} {
		r.DUTs[0].Trials[i].Valid, r.DUTs[0].Trials[i].Arrivals = true, &record.Arrivals{Process: process}
	}
	var b bytes.Buffer
	if err := Prometheus(&b, r); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\nupflab_threshold{"); n != 3 {
		t.Errorf("%d outcomes of a threshold, want 3:\n%s", n, b.String())
	}
	if n := strings.Count(b.String(), "\nupflab_rx_pps{"); n != 1 || !strings.Contains(b.String(), "} 1.95e+06\n") {
		t.Errorf("%d received rates, want the median of both trials:\n%s", n, b.String())
	}
	if !strings.Contains(b.String(), `where="uplink max"} 1`) || !strings.Contains(b.String(), `outcome="pass"`) {
		t.Errorf("the first threshold has no outcome:\n%s", b.String())
	}
}
