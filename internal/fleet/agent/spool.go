package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nuid"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/atomicfile"
)

// spool is the folder of jobs: of the one under way, and of those whose results are not
// handed in yet.
type spool struct {
	dir  string
	jobs map[string]bool // lines of doneName
}

// kept is a report that is not handed in yet.
type kept struct {
	fleet.Run
	Issued time.Time `json:"issued"` // when the operator signed the job
}

const (
	reportName = "report.json" // there when the run has ended
	resultName = "result"      // the folder that `upflab run` writes
	logName    = "log.txt"     // what it said
	doneName   = "done.txt"    // jobs that were handed in, and when the operator had signed them
)

func (s *spool) path(job string, more ...string) string {
	return filepath.Join(append([]string{s.dir, job}, more...)...)
}

// begin makes the folder of a job, empty.
func (s *spool) begin(job string) error {
	if err := s.drop(job); err != nil {
		return err
	}
	if err := os.MkdirAll(s.path(job, resultName), 0o755); err != nil {
		return fmt.Errorf("make the folder of a job: %w", err)
	}
	return nil
}

// finish writes down how the run ended: from now on its result outlives the agent.
func (s *spool) finish(r fleet.Run, j fleet.Job) error {
	data, err := json.Marshal(kept{r, j.Issued})
	if err == nil {
		err = atomicfile.Write(s.path(r.Job, reportName), data, 0o644)
	}
	return err
}

// removedPrefix begins the names of folders that are removed.
const removedPrefix = ".removed-"

// drop removes the folder of a job. The run of a killed agent may still write into it, until it has ended:
// the folder gets another name, so that the job can be begun again at once, and what is left of it goes
// with the next one.
func (s *spool) drop(job string) error {
	err := os.Rename(s.path(job), s.path(removedPrefix+nuid.Next()))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the folder of a job: %w", err)
	}
	return s.sweep()
}

// sweep removes the folders of dropped jobs, but for those that a run still writes into.
func (s *spool) sweep() error {
	dropped, _ := filepath.Glob(s.path(removedPrefix + "*"))
	for _, dir := range dropped {
		if err := os.RemoveAll(dir); err != nil && !errors.Is(err, unix.ENOTEMPTY) {
			return fmt.Errorf("remove the folder of a job: %w", err)
		}
	}
	return nil
}

// hasReport reports whether a job has a result that can still be handed in.
func (s *spool) hasReport(job string) bool {
	_, err := os.Stat(s.path(job, reportName))
	return err == nil
}

// clear removes jobs that a killed agent did not finish, and reads which were handed in.
func (s *spool) clear() error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("make the agent's folder: %w; name another with --dir", err)
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == doneName || strings.HasPrefix(e.Name(), removedPrefix) {
			continue
		}
		if _, err := os.Stat(s.path(e.Name(), reportName)); errors.Is(err, os.ErrNotExist) {
			if err := s.drop(e.Name()); err != nil {
				return err
			}
		}
	}
	return errors.Join(s.sweep(), s.readDone(time.Now()))
}

// finished are the reports that are not handed in.
func (s *spool) finished() (list []kept) {
	paths, _ := filepath.Glob(filepath.Join(s.dir, "*", reportName))
	for _, path := range paths {
		var r kept
		data, err := os.ReadFile(path)
		if err == nil && json.Unmarshal(data, &r) == nil && r.Job == filepath.Base(filepath.Dir(path)) {
			list = append(list, r)
		}
	}
	return list
}

func doneLine(j fleet.Job) string { return fmt.Sprintf("%s %d\n", j.ID, j.Issued.UnixNano()) }

// readDone reads which jobs were handed in. Those that are refused by now, since they were signed too
// long ago, are forgotten, and the list is written without them.
func (s *spool) readDone(now time.Time) error {
	s.jobs = map[string]bool{}
	path := filepath.Join(s.dir, doneName)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read which jobs were handed in: %w", err)
	}
	var left strings.Builder
	for line := range strings.Lines(string(data)) {
		var id string
		var issued int64
		if _, err := fmt.Sscan(line, &id, &issued); err != nil || now.Sub(time.Unix(0, issued)) > fleet.JobFor+fleet.ClocksDiffer {
			continue
		}
		s.jobs[line] = true
		left.WriteString(line)
	}
	if left.Len() == len(data) {
		return nil
	}
	return atomicfile.Write(path, []byte(left.String()), 0o644)
}

// manyDone is how many more jobs are handed in before those that are refused by now are forgotten.
const manyDone = 1000

// done writes down that a job was handed in.
func (s *spool) done(j fleet.Job) error {
	f, err := os.OpenFile(filepath.Join(s.dir, doneName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write down that a job was handed in: %w", err)
	}
	_, err = f.WriteString(doneLine(j))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if s.jobs[doneLine(j)] = true; len(s.jobs)%manyDone == 0 {
		return s.readDone(time.Now())
	}
	return nil
}

// hasDone reports whether a job was handed in, as it was signed.
func (s *spool) hasDone(j fleet.Job) bool { return s.jobs[doneLine(j)] }
