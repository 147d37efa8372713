package exit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/record"
)

func TestExitStatus(t *testing.T) {
	report := &cobra.Command{Use: "report DIR"}
	report.Flags().Bool("published", false, "")
	for _, c := range []struct {
		story  string
		err    error
		status int
		says   string
	}{
		{"done", nil, 0, ""},
		{"failed", errors.New("the disk is full"), 1, "upflab: the disk is full\n"},
		{"wrong config", WrongConfig(errors.New("x.yaml: 1: bad")), 2, "upflab: x.yaml: 1: bad\n"},
		{"wrong config, wrapped", fmt.Errorf("read: %w", WrongConfig(errors.New("bad"))), 2, "upflab: read: bad\n"},
		{"some trial is not valid", ErrInvalid, 3, "upflab: some trial or search is not valid: the report says which and why\n"},
		{"nothing answers", unanswered([]string{"eupf uplink rate of 1400"}), 3,
			"upflab: nothing valid was measured of eupf uplink rate of 1400: the report says why\n"},
		{"wrong usage", WrongUsage(report, errors.New("no")), 2, "upflab: no\nUsage: report DIR [flags]\nTry 'report --help'.\n"},
	} {
		var said bytes.Buffer
		if got := Report(&said, c.err); got != c.status || said.String() != c.says {
			t.Errorf("%s: status %d, says %q; want %d, %q", c.story, got, said.String(), c.status, c.says)
		}
	}
}

func TestOutcomeOfRun(t *testing.T) {
	good, bad := record.Trial{Judgement: record.Judgement{Valid: true}}, record.Trial{}
	failed, untold := []record.Threshold{{Outcome: record.OutcomeFail}}, []record.Threshold{{Outcome: record.OutcomeCannotTell}}
	for _, c := range []struct {
		story       string
		duts        []record.DUT
		interrupted bool
		status      int
		thresholds  []record.Threshold
	}{
		{"all valid", []record.DUT{{Trials: []record.Trial{good, good}}, {Trials: []record.Trial{good}}}, false, 0, nil},
		{"a trial is not valid, another one answers",
			[]record.DUT{{Trials: []record.Trial{good}}, {Trials: []record.Trial{good, bad}}}, false, 0, nil},
		{"nothing answers", []record.DUT{{Trials: []record.Trial{good}}, {Trials: []record.Trial{bad, bad}}}, false, 3, nil},
		{"one DUT failed", []record.DUT{{Status: record.StatusFailed, Error: "gone"}, {Trials: []record.Trial{good}}}, false, 1, nil},
		{"a failed DUT outweighs a trial that is not valid",
			[]record.DUT{{Trials: []record.Trial{bad}}, {Status: record.StatusFailed}}, false, 1, nil},
		{"interrupted", []record.DUT{{Trials: []record.Trial{good}}}, true, 1, nil},
		{"a threshold failed", []record.DUT{{Trials: []record.Trial{good}}}, false, 4, failed},
		{"a threshold cannot be told", []record.DUT{{Trials: []record.Trial{good}}}, false, 3, untold},
	} {
		if got := Report(new(bytes.Buffer), OfRun(&record.Result{DUTs: c.duts, Thresholds: c.thresholds}, "results/x", c.interrupted)); got != c.status {
			t.Errorf("%s: status %d, want %d", c.story, got, c.status)
		}
	}
}

// TestInterruptionHidesNoFailure: what failed beside an interruption is said, too.
func TestInterruptionHidesNoFailure(t *testing.T) {
	unwritten, left := errors.New("write report.html: read-only"), errors.New("remove /tmp/tree: busy")
	canceled := fmt.Errorf("measure: %w", context.Canceled)
	for _, c := range []struct {
		story string
		err   error
		says  string
	}{
		{"alone", canceled, "interrupted by SIGTERM"},
		{"by a signal", fmt.Errorf("build: %w", signalled{unix.SIGTERM}), "interrupted by SIGTERM"},
		{"the report could not be written", errors.Join(canceled, unwritten), "interrupted by SIGTERM\nwrite report.html: read-only"},
		{"a work tree is left, too", errors.Join(errors.Join(canceled, unwritten), left),
			"interrupted by SIGTERM\nwrite report.html: read-only\nremove /tmp/tree: busy"},
		{"wrapped once more", fmt.Errorf("bisect: %w", errors.Join(unwritten, canceled)), "interrupted by SIGTERM\nwrite report.html: read-only"},
		{"a story of ours", errors.Join(InterruptedError("2 of 8 done"), unwritten, canceled),
			"interrupted by SIGTERM: 2 of 8 done\nwrite report.html: read-only"},
	} {
		if got := Interruption(c.err, " by SIGTERM"); !Interrupted(c.err) || got.Error() != c.says {
			t.Errorf("%s: says %q, want %q", c.story, got, c.says)
		}
	}
}

// TestErrorsDoNotControlTheTerminal gives an error that quotes a name from a file.
func TestErrorsDoNotControlTheTerminal(t *testing.T) {
	for _, err := range []error{
		errors.New("no DUT eupf\r\x1b]0;title\x07\x00\u202e\nsecond line"),
		WrongUsage(&cobra.Command{Use: "upflab"}, errors.New("no DUT eupf\r\x1b]0;title\x07\x00\u202e\nsecond line")),
	} {
		var out strings.Builder
		Report(&out, err)
		first, _, _ := strings.Cut(out.String(), "\nUsage")
		if first = strings.TrimSpace(first); first != "upflab: no DUT eupf]0;title\nsecond line" {
			t.Errorf("%T is written as %q", err, first)
		}
	}
}
