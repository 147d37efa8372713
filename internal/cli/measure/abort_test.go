package measure

import (
	"bytes"
	"errors"
	"testing"

	"github.com/upflab/upflab/internal/cli/clitest"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
)

// TestAbortOn: a run ends once a threshold has failed for good, and its status is 4.
func TestAbortOn(t *testing.T) {
	s, err := scenario.Open("quick", []string{"loads=100k,max", "thresholds=rx_pps >= 1M", "abort_on_fail=true", "repeats=2"}, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Load(clitest.StoredRun(t, "a", 0.5e6, 0.5e6))
	if err != nil {
		t.Fatal(err)
	}
	once := *r
	once.DUTs = []record.DUT{r.DUTs[0]}
	once.DUTs[0].Trials = r.DUTs[0].Trials[:1]
	abort := abortOn(s)
	if err := abort(&once); err != nil {
		t.Errorf("after one of two repeats: %v", err)
	}
	if err := abort(r); !errors.Is(err, errAborted) {
		t.Errorf("after both: %v", err)
	}
	r.Thresholds = s.ThresholdsOf()[0].Check(r)
	cmd := newRun()
	cmd.SetOut(new(bytes.Buffer))
	if got := exit.Report(new(bytes.Buffer), runFlags{}.finish(cmd, t.TempDir(), r, errAborted)); got != exit.Worse {
		t.Errorf("status %d", got)
	}
}
