package telemetry

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestReadThread(t *testing.T) {
	file := t.TempDir() + "/schedstat"
	for _, c := range []struct {
		text string
		want Thread
		ok   bool
	}{
		{"1234567 89 10\n", Thread{1234567, 89, 10}, true}, {"0 0 0\n", Thread{}, true},
		{"", Thread{}, false}, {"x 1 2\n", Thread{}, false}, {"1 2\n", Thread{}, false}, {"1 -2 3\n", Thread{}, false},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readThread(file); got != c.want || (err == nil) != c.ok {
			t.Errorf("%q: %v, %v", c.text, got, err)
		}
	}
}

func TestLongestWait(t *testing.T) {
	before := map[int]Thread{1: {Waited: 5 * time.Second, Slices: 100}, 2: {Waited: time.Second, Slices: 10}, 3: {Slices: 9}}
	for _, c := range []struct {
		why      string
		after    map[int]Thread
		share    float64
		switches uint64
	}{
		{"nobody waited", before, 0, 0},
		{"two did: the longer counts", map[int]Thread{
			1: {Waited: 5*time.Second + 100*ms, Slices: 130}, 2: {Waited: time.Second + 600*ms, Slices: 14}}, 0.3, 34},
		{"a thread that is new, and one whose number was used again", map[int]Thread{
			7: {Waited: time.Hour, Slices: 1000}, 1: {Waited: 0, Slices: 1}}, 0, 0},
		{"no longer than there was time", map[int]Thread{3: {Waited: 3 * time.Second, Slices: 10}}, 1, 1},
	} {
		share, switches := longestWait(before, c.after, 2*time.Second)
		if math.Abs(share-c.share) > 1e-9 || switches != c.switches {
			t.Errorf("%s: %g, %d; want %g, %d", c.why, share, switches, c.share, c.switches)
		}
	}
}

// Two that never sleep share one CPU: either waits while the other runs.
func TestRunQueueDelayOfTwoOnOneCPU(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	for cpu := range 1024 {
		if all.IsSet(cpu) {
			one.Set(cpu)
			break
		}
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil { // children inherit it
		t.Fatal(err)
	}
	defer unix.SchedSetaffinity(0, &all)
	var pids []int
	for range 2 {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		pids = append(pids, cmd.Process.Pid)
	}
	subject := Subject{PIDs: func() []int { return pids }}
	var u Usage
	// The kernel adds a wait when it ends: where somebody of higher priority has the CPU meanwhile, again.
	for range 5 {
		a, err := Take(subject)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(600 * ms) // the window that is measured
		b, err := Take(subject)
		if err != nil {
			t.Fatal(err)
		}
		if u = Between(a, b); u.RunQueueDelay >= 0.3 && u.SwitchesPerS > 0 {
			return
		}
	}
	t.Errorf("the one that waited more did for %g of the time, %g switches/s", u.RunQueueDelay, u.SwitchesPerS)
}
