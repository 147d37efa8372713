package host

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// dyingVariable makes the test program a run with much memory: the folder of its list.
const dyingVariable = "UPFLAB_TEST_DYING"

// TestCleanOfDyingRun: what a run left is removed at once after SIGKILL, although the kernel needs a
// while to end it, in which it holds its lock.
func TestCleanOfDyingRun(t *testing.T) {
	if dir := os.Getenv(dyingVariable); dir != "" {
		beLargeRun(dir)
		return
	}
	for range 5 {
		dir := t.TempDir()
		c := exec.Command(os.Args[0], "-test.run=^TestCleanOfDyingRun$")
		c.Env = append(os.Environ(), dyingVariable+"="+dir)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		if !strings.HasPrefix(line, "ready") {
			t.Fatalf("the run said %q", line)
		}
		if removed, err := CleanStaleIn(dir); err != nil || len(removed) > 0 || len(runsIn(dir)) != 1 {
			t.Errorf("of a run under way it removed %v, %v", removed, err)
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := CleanStaleIn(dir); err != nil {
			t.Error(err)
		}
		if left := runsIn(dir); len(left) > 0 {
			t.Errorf("left after the first clean-up: %v", left)
		}
		_ = c.Wait()
	}
}

func beLargeRun(dir string) {
	c, err := NewClaimIn(dir, NewRunID())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	memory := make([]byte, 256<<20)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	fmt.Println("ready")
	_, _ = os.Stdin.Read(memory[:1]) // until it is killed, or the test has ended
}
