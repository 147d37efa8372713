package external

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/dut"
)

// shell is a shell on the UPF's machine, by the ssh program of this one. It gives
// readings of /proc, and starts nothing there but cat.
type shell struct {
	mu      sync.Mutex
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan string // closed when ssh has ended
	process string      // the number of the UPF's process
	errors  *strings.Builder
}

// end marks the end of an answer.
const end = "upflab-end"

// within is how long an answer may take; the first one logs in.
const within = 15 * time.Second

// openShell logs in to host, user@host or what ssh's own configuration knows, and
// finds the process, by its number or its name. UPFLAB_SSH is the command in place
// of ssh, as "ssh -F my.conf".
func openShell(host, process string) (*shell, error) {
	command := strings.Fields(os.Getenv("UPFLAB_SSH"))
	if len(command) == 0 {
		command = []string{"ssh"}
	}
	args := append(command[1:], "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "-T", host, "sh")
	s := &shell{cmd: exec.Command(command[0], args...), lines: make(chan string, 64), errors: &strings.Builder{}}
	s.cmd.Stderr = s.errors
	s.cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true} // a Ctrl-C is not for it
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("external.ssh: start %s: %w (is OpenSSH's client installed?)", command[0], err)
	}
	s.in = in
	go s.read(out)
	if err := s.find(host, process); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *shell) read(out io.Reader) {
	defer close(s.lines)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		s.lines <- lines.Text()
	}
}

// find turns a process's name into its number.
func (s *shell) find(host, process string) error {
	answer, err := s.ask(fmt.Sprintf("if [ -d /proc/%[1]s ]; then echo %[1]s; else pgrep -o -x %[1]s || pidof -s %[1]s; fi", process))
	if err != nil {
		return fmt.Errorf("external.ssh: reach %s: %w: `ssh %s` has to log in without a password", host, err, host)
	}
	s.process = strings.TrimSpace(strings.Join(answer, ""))
	if _, err := strconv.Atoi(s.process); err != nil {
		return fmt.Errorf("external.process: %s has no process %s: give its number, or its name as `ps -e` shows it", host, process)
	}
	return nil
}

// ask runs a command there and gives what it writes.
func (s *shell) ask(command string) (answer []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := fmt.Fprintf(s.in, "%s\necho %s\n", command, end); err != nil {
		return nil, fmt.Errorf("ssh has ended: %w", err)
	}
	timeout := time.After(within)
	for {
		select {
		case line, more := <-s.lines:
			if !more {
				s.cmd.Wait()
				return nil, fmt.Errorf("ssh has ended (%s): %s", s.cmd.ProcessState, strings.TrimSpace(s.errors.String()))
			}
			if line == end {
				return answer, nil
			}
			answer = append(answer, line)
		case <-timeout:
			return nil, fmt.Errorf("no answer within %v", within)
		}
	}
}

// meter reads the CPU and memory of the process, and the CPU of its machine.
func (s *shell) meter() (dut.Meter, error) {
	answer, err := s.ask(fmt.Sprintf("head -n 1 /proc/stat; cat /proc/%[1]s/stat; grep VmRSS /proc/%[1]s/status", s.process))
	if err != nil {
		return dut.Meter{}, err
	}
	m, err := parseProc(answer)
	m.At, m.Source = time.Now(), "process "+s.process+", over SSH"
	return m, err
}

// Close ends ssh.
func (s *shell) Close() error {
	s.in.Close()
	s.cmd.Process.Kill()
	for range s.lines { // until it has ended
	}
	s.cmd.Wait() // how it ended says nothing
	return nil
}
