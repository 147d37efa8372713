package host

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// The time of children counts while they run, and when they have ended.
func TestUserTime(t *testing.T) {
	before, err := UserTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	loop := func() time.Duration {
		cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo; read x")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out.Read(make([]byte, 1))
		running, err := UserTime(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		cmd.Wait()
		return running
	}
	running := loop()
	after, err := UserTime(os.Getpid(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if running-before < 50*time.Millisecond || after < running {
		t.Errorf("%v before, %v with a child that counts, %v after it", before, running, after)
	}
	if gone, err := UserTime(1 << 22); gone != 0 || err != nil {
		t.Errorf("a process that is gone has %v, %v", gone, err)
	}
}
