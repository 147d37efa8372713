package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/atomicfile"
	"github.com/upflab/upflab/internal/fleet"
)

// spool is the folder of jobs: of the one under way, and of those whose results are not
// handed in yet.
type spool struct{ dir string }

const (
	reportName = "report.json" // there when the run has ended
	resultName = "result"      // the folder that `upflab run` writes
	logName    = "log.txt"     // what it said
	doneName   = "done.txt"    // jobs that were handed in, and when the operator had signed them
)

func (s spool) path(job string, more ...string) string {
	return filepath.Join(append([]string{s.dir, job}, more...)...)
}

// begin makes the folder of a job, empty.
func (s spool) begin(job string) error {
	if err := s.drop(job); err != nil {
		return err
	}
	if err := os.MkdirAll(s.path(job, resultName), 0o755); err != nil {
		return fmt.Errorf("make the folder of a job: %w", err)
	}
	return nil
}

// finish writes down how the run ended: from now on its result outlives the agent.
func (s spool) finish(r fleet.Run) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = atomicfile.Write(s.path(r.Job, reportName), data, 0o644)
	}
	return err
}

func (s spool) drop(job string) error {
	if err := os.RemoveAll(s.path(job)); err != nil {
		return fmt.Errorf("remove the folder of a job: %w", err)
	}
	return nil
}

// hasReport reports whether a job has a result that can still be handed in.
func (s spool) hasReport(job string) bool {
	_, err := os.Stat(s.path(job, reportName))
	return err == nil
}

// clear removes jobs that a killed agent did not finish.
func (s spool) clear() error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("make the agent's folder: %w; name another with --dir", err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == doneName {
			continue
		}
		if _, err := os.Stat(s.path(e.Name(), reportName)); errors.Is(err, os.ErrNotExist) {
			if err := s.drop(e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// finished are the reports that are not handed in.
func (s spool) finished() (list []fleet.Run) {
	paths, _ := filepath.Glob(filepath.Join(s.dir, "*", reportName))
	for _, path := range paths {
		var r fleet.Run
		data, err := os.ReadFile(path)
		if err == nil && json.Unmarshal(data, &r) == nil && r.Job == filepath.Base(filepath.Dir(path)) {
			list = append(list, r)
		}
	}
	return list
}

func doneLine(j fleet.Job) string { return fmt.Sprintf("%s %d\n", j.ID, j.Issued.UnixNano()) }

// done writes down that a job was handed in.
func (s spool) done(j fleet.Job) error {
	f, err := os.OpenFile(filepath.Join(s.dir, doneName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write down that a job was handed in: %w", err)
	}
	_, err = f.WriteString(doneLine(j))
	return errors.Join(err, f.Close())
}

// hasDone reports whether a job was handed in, as it was signed.
func (s spool) hasDone(j fleet.Job) bool {
	data, _ := os.ReadFile(filepath.Join(s.dir, doneName)) // there is none at first
	return strings.Contains("\n"+string(data), "\n"+doneLine(j))
}
