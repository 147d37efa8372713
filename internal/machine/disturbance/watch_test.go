package disturbance_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/disturbance"
	"github.com/upflab/upflab/internal/machine/disturbance/hold"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/text/wait"
)

const (
	hogName   = "cpu-hog"
	hogLength = 5 * time.Millisecond
	hogBursts = 20
)

// TestMain is also the program that takes a CPU.
func TestMain(m *testing.M) {
	if cpu := os.Getenv("UPFLAB_TEST_HOG"); cpu != "" {
		hogMain(cpu)
		return
	}
	os.Exit(m.Run())
}

// hogMain takes the CPU hogBursts times once it reads a line, and prints the first
// and the last ns of each time. It runs in its main thread.
func hogMain(cpu string) {
	runtime.LockOSThread()
	var number int
	fmt.Sscan(cpu, &number)
	attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 10}
	err := errors.Join(threads.Pin(0, number), host.NameThread(hogName), unix.SchedSetAttr(0, attr, 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	if os.Getenv("UPFLAB_TEST_SPIN") != "" {
		unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr}, 0)
		for os.Getppid() != 1 { // until it is killed, or its parent was
		}
	}
	bufio.NewReader(os.Stdin).ReadString('\n')
	for range hogBursts {
		time.Sleep(2 * hogLength) // between two bursts
		start := now()
		for now() < start+uint64(hogLength) {
		}
		fmt.Println(start, now())
	}
}

func now() uint64 {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return uint64(ts.Nano())
}

// busy is a process on the CPU that always wants it, and lets others go first.
func busy(t *testing.T, cpu int) (pid int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("UPFLAB_TEST_HOG=%d", cpu), "UPFLAB_TEST_SPIN=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd.Process.Pid
}

type burst struct{ from, to uint64 }

// hog starts the program; its bursts are made when run is called.
func hog(t *testing.T, cpu int) (pid int, run func() []burst) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("UPFLAB_TEST_HOG=%d", cpu))
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
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd.Process.Pid, func() (list []burst) {
		fmt.Fprintln(in)
		text, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var b burst
			if _, err := fmt.Sscan(line, &b.from, &b.to); err != nil {
				t.Fatalf("the hog says %q", text)
			}
			list = append(list, b)
		}
		return list
	}
}

// watch watches the last CPU as that of a DUT.
func watch(t *testing.T, ours ...int) (m *disturbance.Monitor, cpu int) {
	t.Helper()
	sitetest.Privileged(t)
	cpu = runtime.NumCPU() - 1
	m, err := disturbance.Watch(disturbance.Config{Others: []int{cpu}, Ours: ours})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m, cpu
}

// named sums up what the originators of that name did.
func named(m *disturbance.Monitor, cause disturbance.Cause, name string) (sum disturbance.Entry) {
	for _, e := range m.Summary().Entries {
		if e.Cause == cause && e.Who == name {
			sum.Count += e.Count
			sum.Seconds += e.Seconds
		}
	}
	return sum
}

func TestHogIsFound(t *testing.T) {
	sitetest.Privileged(t)
	cpu := runtime.NumCPU() - 1
	m, _ := watch(t, busy(t, cpu))
	_, run := hog(t, cpu)
	m.Begin()
	list := run()
	var took float64
	found := 0
	for _, b := range list {
		took += float64(b.to-b.from) / 1e9
		if m.Excluded(b.from, b.to) {
			found++
		}
	}
	if len(list) != hogBursts || found < hogBursts*9/10 {
		t.Errorf("%d of %d bursts were found", found, len(list))
	}
	// A burst in which the host paused the CPU can be noted as that.
	if e := named(m, disturbance.Others, hogName); e.Seconds < 0.7*took || e.Count < hogBursts*7/10 {
		t.Errorf("the hog had the CPU for %.4g s; noted are %.4g s in %d times", took, e.Seconds, e.Count)
	}
}

// Who runs while the run has nothing to do there takes nothing from it.
func TestHogOnFreeCPUIsNone(t *testing.T) {
	m, cpu := watch(t)
	_, run := hog(t, cpu)
	m.Begin()
	run()
	if e := named(m, disturbance.Others, hogName); e.Seconds > 0.1*hogBursts*hogLength.Seconds() {
		t.Errorf("of a CPU that nobody wanted it took %.4g s", e.Seconds)
	}
}

// What the DUT does itself is no disturbance, neither of a process that was there nor of
// one that a process of the DUT's has started since.
func TestOwnProcessIsNone(t *testing.T) {
	sitetest.Privileged(t)
	cpu := runtime.NumCPU() - 1
	pid, run := hog(t, cpu)
	m, _ := watch(t, pid)
	m.Begin()
	if n := len(run()); n != hogBursts {
		t.Fatalf("%d bursts", n)
	}
	if e := named(m, disturbance.Others, hogName); e.Count != 0 {
		t.Errorf("the DUT's own work counts as a disturbance: %+v", e)
	}
}

func TestChildOfOwnProcessIsNone(t *testing.T) {
	m, cpu := watch(t)
	cmd := exec.Command("sh", "-c", `read line; UPFLAB_TEST_HOG=$1 "$0" </dev/null; true`, os.Args[0], fmt.Sprint(cpu))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := m.Add(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	m.Begin()
	fmt.Fprintln(in)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if e := named(m, disturbance.Others, hogName); e.Count != 0 {
		t.Errorf("a child of the DUT's counts as a disturbance: %+v", e)
	}
}

func TestInterruptsOffAreFound(t *testing.T) {
	m, cpu := watch(t)
	busy(t, cpu)
	// An idle CPU has no ticks, and without them the kernel stops perf's clocks after 100 ms.
	time.Sleep(200 * time.Millisecond)
	const length = 2 * time.Millisecond
	m.Begin()
	before := m.Summary().Seconds(disturbance.Paused)
	h, err := hold.Start(cpu, length, 40*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var n uint64
	held := func() bool {
		if n, err = h.Bursts(); err != nil {
			t.Fatal(err)
		}
		return n >= 20
	}
	if !wait.Until(30*time.Second, 10*time.Millisecond, held) {
		t.Fatalf("the CPU was held %d times in 30 s, not 20", n)
	}
	// The clock is due within a period of the burst's beginning.
	least := float64(n) * (length - disturbance.Period).Seconds() * 0.9
	if got := m.Summary().Seconds(disturbance.Paused) - before; got < least {
		t.Errorf("%d times %v with interrupts off are %.4g s of pauses", n, length, got)
	}
}

// A quiet machine has undisturbed time, and one that is not is asked for long enough.
func TestNotAllIsDisturbed(t *testing.T) {
	m, _ := watch(t)
	const window = 1 << 20
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		from := now()
		time.Sleep(200 * time.Millisecond) // the window, and some time to be told of disturbances in it
		for at := from; at < from+uint64(100*time.Millisecond); at += window {
			if !m.Excluded(at, at+window) {
				return
			}
		}
	}
	t.Error("in 30 s no millisecond was undisturbed")
}

func TestWatchErrors(t *testing.T) {
	sitetest.Privileged(t)
	_, err := disturbance.Watch(disturbance.Config{Others: []int{1 << 12}})
	var none *disturbance.NotAvailable
	if !errors.As(err, &none) {
		t.Errorf("a CPU that is not there: %v", err)
	}
}

func TestClosed(t *testing.T) {
	m, _ := watch(t)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if !m.Excluded(now(), now()+1) {
		t.Error("a monitor that is closed says that nothing happened")
	}
	m.Summary()
}
