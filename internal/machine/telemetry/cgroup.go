package telemetry

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Limits are what the control group of this program allows it: that of a container, a pod
// or a systemd unit.
type Limits struct {
	CPUs        float64 // CPU time a second, in CPUs; 0: no limit
	MemoryBytes uint64  // 0: no limit
}

// Throttling is how often and for how long the kernel kept this program from running
// because its control group had used its CPU limit up, since the group was made.
type Throttling struct {
	Periods   uint64 `json:"periods"`   // with work in them
	Throttled uint64 `json:"throttled"` // those in which the limit was reached
	// Time is summed over the CPUs that had to wait.
	Time time.Duration `json:"time_ns"`
}

// Sub is what was added since an earlier reading.
func (t Throttling) Sub(o Throttling) Throttling {
	return Throttling{t.Periods - o.Periods, t.Throttled - o.Throttled, t.Time - o.Time}
}

// ReadLimits reads the limits of this program's control group.
func ReadLimits() Limits { return ownGroup("/").limits() }

// ReadThrottling reads how this program was throttled; zero where that is not counted.
func ReadThrottling() Throttling { return ownGroup("/").throttling() }

// group are the folders of a control group; "" where there is none. With version 2 they
// are one.
type group struct {
	two         bool
	cpu, memory string
}

// ownGroup finds the control group of this program. In a container the path that the kernel
// names may begin outside of what is mounted: the mounted folder is the group then.
func ownGroup(root string) (g group) {
	f, err := os.Open(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return g
	}
	defer f.Close()
	base := filepath.Join(root, "sys/fs/cgroup")
	for lines := bufio.NewScanner(f); lines.Scan(); {
		_, rest, _ := strings.Cut(lines.Text(), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		if controllers == "" && g.cpu == "" {
			if dir := within(base, path, "cpu.stat"); dir != "" {
				g = group{two: true, cpu: dir, memory: dir}
			}
		}
		for name := range strings.SplitSeq(controllers, ",") {
			switch name {
			case "cpu":
				g.two, g.cpu = false, within(filepath.Join(base, controllers), path, "cpu.stat")
			case "memory":
				g.two, g.memory = false, within(filepath.Join(base, controllers), path, "memory.limit_in_bytes")
			}
		}
	}
	return g
}

// within finds the folder that has the file: that of the group, or the one mounted for it.
func within(base, path, file string) string {
	for _, dir := range []string{filepath.Join(base, path), base} {
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			return dir
		}
	}
	return ""
}

func (g group) limits() (l Limits) {
	if g.two {
		quota, period, _ := strings.Cut(readWord(g.cpu, "cpu.max"), " ")
		l.CPUs = quotaOf(quota, period)
		l.MemoryBytes, _ = strconv.ParseUint(readWord(g.memory, "memory.max"), 10, 64) // "max" is none
		return l
	}
	l.CPUs = quotaOf(readWord(g.cpu, "cpu.cfs_quota_us"), readWord(g.cpu, "cpu.cfs_period_us"))
	l.MemoryBytes, _ = strconv.ParseUint(readWord(g.memory, "memory.limit_in_bytes"), 10, 64)
	const none = 1 << 60 // version 1 writes it as a number of that size
	if l.MemoryBytes >= none {
		l.MemoryBytes = 0
	}
	return l
}

// quotaOf is a quota in CPUs; "max" and -1 are none.
func quotaOf(quota, period string) float64 {
	q, err := strconv.ParseFloat(quota, 64)
	p, failed := strconv.ParseFloat(period, 64)
	if err != nil || failed != nil || q <= 0 || p <= 0 {
		return 0
	}
	return q / p
}

func (g group) throttling() (t Throttling) {
	for line := range strings.Lines(readWord(g.cpu, "cpu.stat")) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			continue
		}
		switch name {
		case "nr_periods":
			t.Periods = n
		case "nr_throttled":
			t.Throttled = n
		case "throttled_usec": // version 2
			t.Time = time.Duration(n) * time.Microsecond
		case "throttled_time": // version 1
			t.Time = time.Duration(n)
		}
	}
	return t
}

// readWord is the text of a file; "": there is none.
func readWord(dir, file string) string {
	if dir == "" {
		return ""
	}
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
