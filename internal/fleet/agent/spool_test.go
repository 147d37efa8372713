package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
)

// TestDoneIsForgotten: the list of jobs that were handed in outlives the agent, and has no jobs that
// are refused since they were signed too long ago.
func TestDoneIsForgotten(t *testing.T) {
	s := &spool{dir: t.TempDir()}
	if err := s.clear(); err != nil {
		t.Fatal(err)
	}
	young, old := fleet.Job{ID: "young", Issued: time.Now()},
		fleet.Job{ID: "old", Issued: time.Now().Add(-fleet.JobFor - fleet.ClocksDiffer - time.Hour)}
	for _, j := range []fleet.Job{old, young} {
		if err := s.done(j); err != nil {
			t.Fatal(err)
		}
	}
	if f, err := os.OpenFile(filepath.Join(s.dir, doneName), os.O_APPEND|os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	} else if _, err := f.WriteString("damaged 12"); err != nil || f.Close() != nil { // the disk was full
		t.Fatal(err)
	}
	after := &spool{dir: s.dir}
	if err := after.clear(); err != nil {
		t.Fatal(err)
	}
	if !after.hasDone(young) || after.hasDone(old) {
		t.Errorf("young: %v, old: %v", after.hasDone(young), after.hasDone(old))
	}
	young.Issued = young.Issued.Add(time.Second)
	if after.hasDone(young) {
		t.Error("a job that was signed anew counts as handed in")
	}
	if text, _ := os.ReadFile(filepath.Join(s.dir, doneName)); strings.Contains(string(text), "old") {
		t.Errorf("the list has %q", text)
	}
	for n := range 3 * manyDone { // of a testbed that is never restarted
		if err := after.done(fleet.Job{ID: "j", Issued: old.Issued.Add(time.Duration(n))}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(after.jobs); n > manyDone {
		t.Errorf("%d jobs are remembered", n)
	}
}

// TestKeptReport: of a job whose result an agent after this one hands in it is known when it was signed.
func TestKeptReport(t *testing.T) {
	s := &spool{dir: t.TempDir()}
	j := fleet.Job{ID: "j1", Issued: time.Now().UTC()}
	if err := s.begin(j.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.finish(fleet.Run{Job: j.ID, Agent: "rack1", State: fleet.Done}, j); err != nil {
		t.Fatal(err)
	}
	list := (&spool{dir: s.dir}).finished()
	if len(list) != 1 || !list[0].Issued.Equal(j.Issued) || list[0].Agent != "rack1" {
		t.Errorf("%+v", list)
	}
}
