package external

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
)

// answerTime is how long one answer may take. The first includes the login.
const answerTime = 15 * time.Second

// shell is a shell on the UPF's machine, reached by this machine's ssh program. It
// reads /proc there and starts nothing but head, cat and grep.
//
// The other machine may be broken: each answer is bounded in time and in bytes.
// After the first failure the shell is closed, because what still arrives could be
// taken for the answer to the next question.
type shell struct {
	mu      sync.Mutex
	ssh     *sshProgram
	process string // PID of the UPF
	within  time.Duration
	failed  error // of the first question without an answer
}

// openShell logs in to host, user@host or a name from ssh's own configuration, and
// finds the process by its PID or its name. An answer may take as long as within.
func openShell(host, process string, within time.Duration) (*shell, error) {
	ssh, err := startSSH(host)
	if err != nil {
		return nil, err
	}
	s := &shell{ssh: ssh, within: within}
	if err := s.find(host, process); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// find turns a process's name into its PID.
func (s *shell) find(host, process string) error {
	answer, err := s.ask(fmt.Sprintf("if [ -d /proc/%[1]s ]; then echo %[1]s; else pgrep -o -x %[1]s || pidof -s %[1]s; fi", process))
	if err != nil {
		return fmt.Errorf("external.ssh: reach %s: %w: `ssh %s` has to log in without a password", host, err, host)
	}
	s.process = strings.TrimSpace(strings.Join(answer, ""))
	if _, err := strconv.Atoi(s.process); err != nil {
		return fmt.Errorf("external.process: %s has no process %s: give its PID, or its name as `ps -e` shows it", host, process)
	}
	return nil
}

// ask runs a command there and returns the lines it writes.
func (s *shell) ask(command string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return nil, s.failed
	}
	answer, err := s.ssh.ask(command, time.Now().Add(s.within))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("no answer within %v", s.within)
	}
	if err != nil {
		s.failed = err
		s.ssh.close()
	}
	return answer, s.failed
}

// meter reads the CPU and memory of the process, and the CPU of its machine.
func (s *shell) meter() (dut.Meter, error) {
	answer, err := s.ask(fmt.Sprintf("head -n 1 /proc/stat; cat /proc/%[1]s/stat; grep -E "+
		"'^(VmRSS|HugetlbPages):' /proc/%[1]s/status", s.process))
	if err != nil {
		return dut.Meter{}, err
	}
	m, err := parseProc(answer)
	m.At, m.Source, m.ProcessAlone = time.Now(), "process "+s.process+", over SSH", true
	return m, err
}

// Close ends ssh.
func (s *shell) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = errors.New("the SSH connection is closed")
		s.ssh.close()
	}
	return nil
}
