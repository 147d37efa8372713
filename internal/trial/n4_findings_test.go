package trial

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/smf"
)

func TestN4FindingsOfVisitsAreAdded(t *testing.T) {
	first := []record.N4Finding{{Code: smf.FindingDoubled, Count: 2, Example: "a"}}
	second := []record.N4Finding{{Code: smf.FindingRestarted, Count: 1, Example: "b"}, {Code: smf.FindingDoubled, Count: 3, Example: "c"}}
	sum := record.AddN4(record.AddN4(nil, first), second)
	want := []record.N4Finding{{Code: smf.FindingDoubled, Count: 5, Example: "a"}, {Code: smf.FindingRestarted, Count: 1, Example: "b"}}
	if !slices.Equal(sum, want) {
		t.Fatalf("%+v, want %+v", sum, want)
	}
	remarks := withN4Remark([]string{"It is old."}, first[0])
	for _, f := range sum {
		remarks = withN4Remark(remarks, f)
	}
	if len(remarks) != 3 || remarks[0] != "It is old." ||
		remarks[1] != "It answered PFCP requests more often than they were sent (TS 29.244 clause 6.4): 5 times; first: a." {
		t.Errorf("%q", remarks)
	}
}
