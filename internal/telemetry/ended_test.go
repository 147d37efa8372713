package telemetry_test

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/site/sitetest"
	"github.com/upflab/upflab/internal/telemetry"
)

// threadsThatEnd is the variable that makes this test program one whose threads work for 20 ms
// each, one after the other, and end.
const threadsThatEnd = "UPFLAB_TEST_THREADS_THAT_END"

func TestMain(m *testing.M) {
	if os.Getenv(threadsThatEnd) == "" {
		os.Exit(m.Run())
	}
	for {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // never unlocked: the thread ends
			for used := threadTime(); threadTime() < used+20*time.Millisecond; {
			}
		}()
		<-done
	}
}

func threadTime() time.Duration {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) // cannot fail
	return time.Duration(ts.Nano())
}

// TestThreadsThatEnd: a UPF whose threads work and end has used their time. The kernel's own
// account of the process, in ticks of 10 ms, has it, too.
func TestThreadsThatEnd(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), threadsThatEnd+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	s := telemetry.Subject{PIDs: func() []int { return []int{cmd.Process.Pid} }, CPUs: []int{0}}
	time.Sleep(100 * time.Millisecond)
	took := func() (telemetry.Sample, time.Duration) {
		sample, err := telemetry.Take(s)
		if err != nil {
			t.Fatal(err)
		}
		ticks, err := host.UserTime(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		return sample, ticks
	}
	a, before := took()
	time.Sleep(time.Second)
	b, after := took()
	if got, want := b.Process-a.Process, after-before; got < want*8/10 || want == 0 {
		t.Errorf("the process used %v, and %v of user time by the kernel's account", got, want)
	}
}

// TestMemoryOfHugePages: what a process has of hugetlbfs is its memory.
func TestMemoryOfHugePages(t *testing.T) {
	sitetest.Privileged(t)
	claim, err := host.NewClaim("huge")
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Close()
	const pages, size = 4, 2 << 20
	if err := claim.AddHugePages(pages); err != nil {
		t.Fatal(err)
	}
	defer claim.ReturnHugePages()
	before, err := telemetry.ResidentBytes(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	b, err := unix.Mmap(-1, 0, pages*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_HUGETLB)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	for i := range pages {
		b[i*size] = 1
	}
	after, err := telemetry.ResidentBytes(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	// What else the test holds changes by less than a page of 2 MiB.
	if got := int64(after) - int64(before); got < (pages-1)*size || got > (pages+1)*size {
		t.Errorf("%d huge pages of 2 MiB are counted as %d bytes", pages, got)
	}
}
