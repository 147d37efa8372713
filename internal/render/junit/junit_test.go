package junit

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestWrite(t *testing.T) {
	r := &record.Result{DUTs: []record.DUT{
		{Name: "builtin", Mode: "xdp", Cases: []record.Case{
			{ID: "pdr.teid", Verdict: record.VerdictEnforced},
			{ID: "far.n9", Verdict: record.VerdictRefused, Observed: "cause 73"},
			{ID: "qer.qfi", Verdict: record.VerdictWrong, Expected: "QFI 9", Observed: "QFI <8>"}}},
		{Name: "open5gs", Mode: "tun", Error: "it has ended"},
	}}
	var b strings.Builder
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	var got suites
	if err := xml.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	first, second := got.Suites[0], got.Suites[1]
	if first.Name != "builtin:xdp" || first.Tests != 3 || first.Failures != 1 || first.Skipped != 1 || second.Errors != 1 || second.Tests != 1 {
		t.Errorf("%+v", got)
	}
	if f := first.Cases[2].Failure; f == nil || f.Message != "QFI <8>" || f.Type != "wrong" || !strings.Contains(f.Text, "expected: QFI 9") {
		t.Errorf("the failure is %+v", f)
	}
}
