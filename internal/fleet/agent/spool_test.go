package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/wait"
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

// TestDropWhileWritten: an agent that is started again removes the folder of a job into which the run of the
// killed one still writes, begins the job anew, and leaves nothing when that run has ended.
func TestDropWhileWritten(t *testing.T) {
	s := &spool{dir: t.TempDir()}
	if err := s.begin("j1"); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("sh", "-c", "while :; do i=$((i+1)); true >result/$i || true >$i; done 2>/dev/null")
	run.Dir = s.path("j1")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := sync.OnceFunc(func() { _ = run.Process.Kill(); _ = run.Wait() })
	defer ended()
	written := func() bool { list, _ := os.ReadDir(s.path("j1", resultName)); return len(list) > 100 }
	if !wait.Until(10*time.Second, time.Millisecond, written) {
		t.Fatal("nothing was written")
	}
	after := &spool{dir: s.dir}
	if err := after.clear(); err != nil {
		t.Fatal(err)
	}
	if err := after.begin("j1"); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(after.path("j1", resultName)); err != nil || len(list) > 0 {
		t.Errorf("the job that was begun anew has %d files of the other run, %v", len(list), err)
	}
	ended()
	if err := after.drop("j1"); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}
