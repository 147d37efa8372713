package host

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// The time of a program is another's when it is not below the processes given.
func TestOtherUserTime(t *testing.T) {
	const without = 1 << 22 // no such process
	read := func(ours int) time.Duration {
		sum, known, err := OtherUserTime(ours)
		if err != nil {
			t.Fatal(err)
		}
		if !known {
			t.Skip("a PID namespace, which does not see all processes")
		}
		return sum
	}
	others, all := read(os.Getpid()), read(without)
	if err := exec.Command("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done").Run(); err != nil {
		t.Fatal(err)
	}
	others, all = read(os.Getpid())-others, read(without)-all
	if all < 50*time.Millisecond || all-others < 50*time.Millisecond {
		t.Errorf("of %v that all processes ran %v are others' than this test's and its child", all, others)
	}
}
