package selftest

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestAgrees: a result that contradicts itself is a wrong row that no other try makes up for.
func TestAgrees(t *testing.T) {
	good := &record.Result{DUTs: []record.DUT{{Name: "upf",
		Trials: []record.Trial{{Traffic: record.Traffic{TxPackets: 10, RxPackets: 10}, Judgement: record.Judgement{Valid: true}}}}}}
	if rows := agrees(good); len(rows) != 1 || !Passed(rows) {
		t.Errorf("%+v", rows)
	}
	good.DUTs[0].Trials[0].RxPackets = 9
	rows := agrees(good)
	if left := replaced(agrees(&record.Result{}), rows); Passed(left) {
		t.Error("a try that was right hides one that was not")
	}
	if Passed(rows) || !wrongCounts(rows) || len(rows) < 2 || !strings.Contains(rows[1].Note, "duts[0].trials[0]") {
		t.Errorf("%+v", rows)
	}
}
