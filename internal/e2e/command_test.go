package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/results/live"
)

// buffer is written by a program and read while it runs.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// command is a program under way.
type command struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr buffer
	ended          chan struct{}
}

// options change how a command is started.
type options func(*exec.Cmd)

func env(list ...string) options {
	return func(c *exec.Cmd) { c.Env = append(os.Environ(), list...) }
}

func in(dir string) options { return func(c *exec.Cmd) { c.Dir = dir } }

// upflab starts the program with arguments as a user types them.
func upflab(t *testing.T, args []string, with ...options) *command {
	t.Helper()
	return start(t, exec.Command(program(), args...), with...)
}

// start runs cmd; whatever happens, it is gone when the test ends.
func start(t *testing.T, cmd *exec.Cmd, with ...options) *command {
	t.Helper()
	c := &command{t: t, cmd: cmd, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &c.stdout, &c.stderr, 5*time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	for _, o := range with {
		o(cmd)
	}
	started := make(chan error)
	go func() {
		defer close(c.ended)
		runtime.LockOSThread() // the process is killed when the thread that started it ends
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); <-c.ended })
	return c
}

// status waits for the end and gives the exit status, -1 after a signal.
func (c *command) status(within time.Duration) int {
	c.t.Helper()
	select {
	case <-c.ended:
	case <-time.After(within):
		c.t.Fatalf("%v does not end within %v\n%s", c.cmd.Args, within, c.said())
	}
	return c.cmd.ProcessState.ExitCode()
}

// finishes waits for one of the exit statuses.
func (c *command) finishes(want ...int) {
	c.t.Helper()
	c.finishesWithin(4*time.Minute, want...)
}

func (c *command) finishesWithin(limit time.Duration, want ...int) {
	c.t.Helper()
	got := c.status(limit)
	for _, w := range want {
		if got == w {
			return
		}
	}
	c.t.Fatalf("%v: exit status %d, want one of %v\n%s", c.cmd.Args, got, want, c.said())
}

// says waits until standard error holds text.
func (c *command) says(text string) {
	c.t.Helper()
	c.until("standard error holds "+text, func() bool { return strings.Contains(c.stderr.String(), text) })
}

// announces waits until standard output holds text.
func (c *command) announces(text string) {
	c.t.Helper()
	c.until("standard output holds "+text, func() bool { return strings.Contains(c.stdout.String(), text) })
}

// until waits for a condition while the command runs.
func (c *command) until(what string, true func() bool) {
	c.t.Helper()
	for range 1200 {
		if true() {
			return
		}
		select {
		case <-c.ended:
			if !true() {
				c.t.Fatalf("%v ended before %s\n%s", c.cmd.Args, what, c.said())
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	c.t.Fatalf("%v: a minute without %s\n%s", c.cmd.Args, what, c.said())
}

// sends waits until a trial of the run into dir has begun to send: a point of it is in the run's progress.
func (c *command) sends(dir string, which func(trial live.Event) bool) {
	c.t.Helper()
	c.until("a trial sends", func() bool {
		lines, _, _ := live.ReadFrom(dir, 0)
		found := false
		for _, line := range lines {
			var e live.Event
			_ = json.Unmarshal(line, &e)
			switch e.Kind {
			case live.KindBegin:
				found = which(e)
			case live.KindPoint:
				if found {
					return true
				}
			}
		}
		return false
	})
}

func (c *command) signal(s syscall.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

// said is everything it printed.
func (c *command) said() string {
	return "stderr:\n" + c.stderr.String() + "stdout:\n" + c.stdout.String()
}

// mustSay fails the test for every text that standard error lacks.
func (c *command) mustSay(texts ...string) {
	c.t.Helper()
	for _, text := range texts {
		if !strings.Contains(c.stderr.String(), text) {
			c.t.Errorf("%v does not say %q:\n%s", c.cmd.Args, text, c.stderr.String())
		}
	}
}

// nobody runs a command without privileges.
func nobody(c *exec.Cmd) {
	const uid = 65534
	c.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: uid}
}
