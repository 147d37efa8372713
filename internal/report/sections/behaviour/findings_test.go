package behaviour

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// lines are those of code blocks, with those of folded sections apart.
func lines(blocks []block.Block, inFold bool) (open, folded []string) {
	for _, b := range blocks {
		switch b := b.(type) {
		case block.Code:
			if inFold {
				folded = append(folded, b.Lines...)
			} else {
				open = append(open, b.Lines...)
			}
		case block.Section:
			o, f := lines(b.Blocks, inFold || b.Fold)
			open, folded = append(open, o...), append(folded, f...)
		}
	}
	return open, folded
}

// TestFindings: a cause is a line, with what it explains named under it and folded; a result without
// causes has a line for each finding.
func TestFindings(t *testing.T) {
	bad := func(id string) record.Case {
		return record.Case{ID: id, Verdict: record.VerdictWrong, Observed: "seen"}
	}
	d := &record.DUT{Cases: []record.Case{bad("pdr.teid"), bad("ip.checksum"),
		{ID: "qer.qfi", Verdict: record.VerdictEnforced}, bad("n4.pfd")},
		Causes: []record.Cause{{Case: "ip.checksum", Explains: []string{"pdr.teid", "gone"}}, {Case: "n4.pfd"}}}
	v := &view.Run{Result: &record.Result{}, UPFs: []*view.UPF{{DUT: d, Label: "a"}}}
	open, folded := lines(Findings(v).Blocks, false)
	if len(open) != 3 || !strings.Contains(open[0], "ip.checksum") ||
		strings.TrimSpace(open[1]) != "explains 1 more finding: pdr.teid" || !strings.Contains(open[2], "n4.pfd") {
		t.Errorf("the lines are\n%s", strings.Join(open, "\n"))
	}
	if len(folded) != 1 || !strings.Contains(folded[0], "pdr.teid") {
		t.Errorf("folded are %q", folded)
	}
	d.Cases[0].Symptom, d.Cases[0].Clause, d.Cases[1].Symptom, d.Cases[1].Clause = "inner-checksum", "TS 1", "inner-checksum", "TS 2"
	open, folded = lines(Findings(v).Blocks, false)
	if !strings.Contains(open[0], "ip.checksum (TS 2)") || !strings.Contains(folded[0], "pdr.teid, which shows what ip.checksum asks for") ||
		strings.Contains(folded[0], "TS 1") {
		t.Errorf("the headings are of other clauses: %q, %q", open, folded)
	}
	d.Causes = nil
	if open, folded = lines(Findings(v).Blocks, false); len(open) != 3 || len(folded) != 0 {
		t.Errorf("without causes: %q, %q", open, folded)
	}
}

// TestRepeats: a finding names the scenario that has its case, and the files of dialects that are not upflab's.
func TestRepeats(t *testing.T) {
	for _, c := range []struct{ id, settings, want string }{
		{"pdr.teid", "", "`upflab run behaviour --dut a --case pdr.teid`"},
		{"mbr.uplink", "", "`upflab run qos-accuracy --dut a --case mbr.uplink`"},
		{"interop.open5gs", "dialects: []\n", "`upflab run interop --dut a --case interop.open5gs`"},
		{"interop.our-smf", "name: interop\ndialects: [our-smf.n4, b c.n4]\n",
			"`upflab run interop --dut a --case interop.our-smf --set 'dialects=our-smf.n4,b c.n4'`"},
	} {
		d := &record.DUT{Cases: []record.Case{{ID: c.id, Verdict: record.VerdictWrong, Capture: "a/x.pcapng"}}}
		v := &view.Run{Result: &record.Result{Settings: c.settings}, UPFs: []*view.UPF{{DUT: d, Label: "a"}}}
		if open, _ := lines(Findings(v).Blocks, false); len(open) != 1 || !strings.Contains(open[0], c.want) {
			t.Errorf("%s: %q, want %s", c.id, open, c.want)
		}
	}
}
