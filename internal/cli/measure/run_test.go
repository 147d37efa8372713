package measure

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/clitest"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

// TestFinishWritesWhatThereIs: also of a run that was cut short.
func TestFinishWritesWhatThereIs(t *testing.T) {
	for _, c := range []struct {
		failed error
		status int
		notes  int
	}{{nil, 0, 0}, {context.Canceled, 1, 1}, {errors.New("no CPU"), 1, 0}} {
		dir := t.TempDir()
		var out bytes.Buffer
		cmd := newRun()
		cmd.SetOut(&out)
		err := runFlags{}.finish(cmd, dir, clitest.Stored(t), c.failed)
		if got := exit.Report(new(bytes.Buffer), err); got != c.status {
			t.Errorf("%v: status %d, want %d", c.failed, got, c.status)
		}
		r, err := store.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Notes) != c.notes || r.Finished.IsZero() || out.Len() == 0 {
			t.Errorf("%v: notes %q, finished %v, printed %d bytes", c.failed, r.Notes, r.Finished, out.Len())
		}
		clitest.CheckReports(t, dir)
	}
}

// TestCauseComesLast: what was not given back after a run does not take the place of why the run failed.
func TestCauseComesLast(t *testing.T) {
	c := &cobra.Command{}
	c.SetOut(io.Discard)
	c.SetErr(io.Discard)
	r := &record.Result{Scenario: "quick", DUTs: []record.DUT{{Name: "wire", Status: record.StatusFailed, Error: "no namespace"}}}
	err := runFlags{}.finish(c, t.TempDir(), r, campaign.LeftError{Err: errors.New("the priority stays")})
	if want := "the priority stays\nwire failed: no namespace"; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
