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

// startProcess starts the hub as a process; stop is SIGKILL.
func (l *Lab) startProcess() {
	l.t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s", hubVariable, l.Dir, l.port, l.Lease))
	_, err := c.StdinPipe() // open as long as this process lives
	if err != nil {
		l.t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		l.t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	l.stop = func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
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
