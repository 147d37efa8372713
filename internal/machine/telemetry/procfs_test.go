package telemetry

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

const ms = time.Millisecond

func TestParseCores(t *testing.T) {
	text, err := os.ReadFile("testdata/stat.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseCores(string(text))
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]Core{
		0: {User: 100 * ms, System: 200 * ms, Idle: 3060 * ms, IRQ: 10 * ms, SoftIRQ: 100 * ms, Steal: 30 * ms},
		1: {User: 200 * ms, Idle: 1000 * ms, IRQ: 20 * ms, SoftIRQ: 500 * ms, Steal: 40 * ms},
	}
	for id, core := range want {
		if got[id] != core {
			t.Errorf("CPU %d is %+v, want %+v", id, got[id], core)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d CPUs, want %d", len(got), len(want))
	}
}

func TestParseCoresErrors(t *testing.T) {
	for _, text := range []string{"cpu0 1 2 3\n", "cpu0 1 2 3 4 5 6 x 8\n", "cpuX 1 2 3 4 5 6 7 8\n", "cpu\n", "cpu"} {
		if got, err := parseCores(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
	if got, err := parseCores("\n\nintr 1\n"); err != nil || len(got) != 0 {
		t.Errorf("no CPUs: %v, %v", got, err)
	}
}

func TestCoresGoOn(t *testing.T) {
	a, err := Cores()
	if err != nil || len(a) == 0 {
		t.Fatal(a, err)
	}
	time.Sleep(30 * ms) // the window that is measured
	b, err := Cores()
	if err != nil {
		t.Fatal(err)
	}
	var before, after time.Duration
	for id := range a {
		before, after = before+a[id].Total(), after+b[id].Total()
	}
	if after <= before {
		t.Errorf("in 30 ms the CPUs went from %v to %v", before, after)
	}
}

// A child that never waits runs for as long as the host lets it.
func TestProcessTimeOfBusyChild(t *testing.T) {
	cmd := exec.Command("sh", "-c", "while :; do :; done")
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	time.Sleep(300 * ms) // it runs so long
	ran, err := ProcessTime(cmd.Process.Pid)
	if wall := time.Since(start); err != nil || ran > wall || ran < wall/10 {
		t.Errorf("it ran %v of %v, %v", ran, wall, err)
	}
}

func TestProcessThatIsGone(t *testing.T) {
	const none = 1<<22 + 1 // more than PID_MAX_LIMIT of the kernel
	if d, err := ProcessTime(none); d != 0 || err != nil {
		t.Errorf("it ran %v, %v", d, err)
	}
	if n, err := ResidentBytes(none); n != 0 || err != nil {
		t.Errorf("it has %d bytes, %v", n, err)
	}
	if n := BPFMapBytes(none); n != 0 {
		t.Errorf("it has %d bytes of maps", n)
	}
}

func TestResidentBytes(t *testing.T) {
	if n, err := ResidentBytes(os.Getpid()); err != nil || n < 1<<20 || n > 1<<34 {
		t.Errorf("this test has %d bytes, %v", n, err)
	}
}

// The lines are those of Linux 6.18 of a process that has 3 pages of 2 MiB of hugetlbfs.
func TestHugePagesAreMemory(t *testing.T) {
	status := "Name:\tvpp_main\nVmPeak:\t  290816 kB\nVmRSS:\t   65536 kB\nRssAnon:\t   60000 kB\nRssShmem:\t    " +
		"5536 kB\nVmSwap:\t       0 kB\nHugetlbPages:\t    6144 kB\n"
	if n, err := residentBytes(status); err != nil || n != (65536+6144)<<10 {
		t.Errorf("%d bytes, %v; want 70 MiB", n, err)
	}
	if n, err := residentBytes("Name:\tkworker\nThreads:\t1\n"); err != nil || n != 0 {
		t.Errorf("a kernel thread has %d bytes, %v", n, err)
	}
	for _, text := range []string{"VmRSS:\tx kB\n", "HugetlbPages:\t-1 kB\n"} {
		if n, err := residentBytes(text); err == nil {
			t.Errorf("%q is read as %d bytes", text, n)
		}
	}
}
