package fleettest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/fleet/hub"
)

// hubVariable makes a test program a hub: its folder, port and lease.
const hubVariable = "UPFLAB_TEST_HUB"

// BeHub runs a hub until it is killed, in a program that NewKillable started.
func BeHub() bool {
	f := strings.Split(os.Getenv(hubVariable), " ")
	if len(f) != 3 {
		return false
	}
	lease, _ := time.ParseDuration(f[2])
	h, err := hub.Start(context.Background(), hub.Config{Dir: f[0], Listen: "127.0.0.1:" + f[1], Lease: lease})
	if err != nil {
		fmt.Println("failed:", err)
		return true
	}
	fmt.Println("port", h.Port())
	go func() { // the test has ended, whatever ended it
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	_ = h.Serve(context.Background(), func(string) {})
	return true
}

// child starts this test program again, with one more variable in its environment; out is what it
// prints. Its standard input is open as long as this process lives.
func child(t TB, variable string) (c *exec.Cmd, out *bufio.Reader) {
	t.Helper()
	c = exec.Command(os.Args[0])
	c.Env = append(os.Environ(), variable)
	_, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(pipe)
}

// killChild is SIGKILL.
func killChild(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait()
}

// startProcess starts the hub as a process; stop is SIGKILL.
func (l *Lab) startProcess() {
	l.t.Helper()
	c, out := child(l.t, fmt.Sprintf("%s=%s %s %s", hubVariable, l.Dir, l.port, l.Lease))
	line, _ := out.ReadString('\n')
	l.stop = func() { killChild(c) }
	port, ok := strings.CutPrefix(strings.TrimSpace(line), "port ")
	if !ok {
		l.stop()
		l.t.Fatalf("the hub said %q", line)
	}
	l.port, l.pid = port, c.Process.Pid
}

// NewKillable is New with the hub in a process of its own, which Stop kills.
func NewKillable(t TB, lease time.Duration) *Lab {
	t.Helper()
	l := newLab(t, lease)
	l.start = l.startProcess
	l.Dir = filepath.Join(t.TempDir(), "hub")
	l.Start()
	return l
}

// PID is the process of a hub that is one.
func (l *Lab) PID() int { return l.pid }
