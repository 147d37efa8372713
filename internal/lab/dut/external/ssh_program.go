package external

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	endMark       = "upflab-end"    // the line after an answer
	maxAnswer     = 64 << 10        // bytes; the lines of /proc that are read take some hundreds
	maxComplaint  = 4 << 10         // bytes of ssh's standard error that are kept
	timeToEnd     = time.Second     // for ssh, when its pipes are closed
	timeToRelease = 2 * time.Second // for a pipe that a child of ssh still holds
)

// sshProgram is a running ssh with a shell at its other end. Both pipes are files,
// which take deadlines; nothing is read between questions, so a machine that floods
// fills a pipe and no memory.
type sshProgram struct {
	cmd        *exec.Cmd
	in, out    *os.File
	complaints complaints
}

// startSSH starts ssh, or the command in UPFLAB_SSH, such as "ssh -F my.conf". It is not launched as a
// program of the run, with which all ends that it started: ssh may leave a connection behind that the
// user's other programs share (ControlPersist). It ends with its input, also when upflab is killed.
func startSSH(host string) (*sshProgram, error) {
	command := strings.Fields(os.Getenv("UPFLAB_SSH"))
	if len(command) == 0 {
		command = []string{"ssh"}
	}
	args := append(command[1:], "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "-T", host, "sh")
	s := &sshProgram{cmd: exec.Command(command[0], args...)}
	s.cmd.Stderr = &s.complaints
	s.cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true} // a Ctrl-C is not for it
	s.cmd.WaitDelay = timeToRelease
	if err := s.start(); err != nil {
		return nil, fmt.Errorf("external.ssh: start %s: %w (is OpenSSH's client installed?)", command[0], err)
	}
	return s, nil
}

func (s *sshProgram) start() error {
	stdin, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	out, stdout, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close())
	}
	defer stdout.Close()
	s.in, s.out, s.cmd.Stdin, s.cmd.Stdout = in, out, stdin, stdout
	if err := s.cmd.Start(); err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	return nil
}

// ask runs a command there and returns the lines it writes, at the latest at the
// deadline.
func (s *sshProgram) ask(command string, deadline time.Time) (answer []string, err error) {
	if err := errors.Join(s.in.SetDeadline(deadline), s.out.SetDeadline(deadline)); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(s.in, "%s\necho %s\n", command, endMark); err != nil {
		return nil, s.ended(err)
	}
	limit := &io.LimitedReader{R: s.out, N: maxAnswer}
	for lines := bufio.NewReader(limit); ; {
		line, err := lines.ReadString('\n')
		switch {
		case err == io.EOF && limit.N == 0:
			return nil, fmt.Errorf("it sent more than %d KiB in place of a few lines", maxAnswer>>10)
		case err != nil:
			return nil, s.ended(err)
		case line == endMark+"\n":
			return answer, nil
		}
		answer = append(answer, strings.TrimSuffix(line, "\n"))
	}
}

// ended explains a pipe that failed: a deadline stays one, else ssh has ended.
func (s *sshProgram) ended(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	s.close()
	return fmt.Errorf("ssh has ended (%s): %s", s.cmd.ProcessState, strings.TrimSpace(string(s.complaints)))
}

// close ends ssh: a healthy one ends with its input, others are killed. It may be
// called again.
func (s *sshProgram) close() {
	if s.cmd.ProcessState != nil {
		return
	}
	s.in.Close()
	s.out.Close()
	late := time.AfterFunc(timeToEnd, func() { s.cmd.Process.Kill() })
	defer late.Stop()
	s.cmd.Wait() // returns its exit status, which ended reports
}

// complaints keeps the first bytes of ssh's standard error, and refuses more: that
// closes the pipe and ends a machine's flood there too.
type complaints []byte

func (c *complaints) Write(p []byte) (int, error) {
	n := min(len(p), maxComplaint-len(*c))
	*c = append(*c, p[:n]...)
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}
