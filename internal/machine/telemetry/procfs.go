// Package telemetry reads what a DUT and its host use: CPU, memory, stolen time,
// and where packets were dropped. Readers give totals; a trial takes one before
// and one after.
package telemetry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of /proc/stat: USER_HZ is 100 on every Linux that runs Go.
const tick = 10 * time.Millisecond

func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }

// ResidentBytes is the memory a process holds: what is resident of it (VmRSS), and its pages of
// hugetlbfs, which the kernel does not count there (HugetlbPages); 0 when it is gone.
func ResidentBytes(pid int) (uint64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if gone(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read memory of process %d: %w", pid, err)
	}
	n, err := residentBytes(string(b))
	if err != nil {
		return 0, fmt.Errorf("read memory of process %d: %w", pid, err)
	}
	return n, nil
}

// residentBytes adds the lines of a status file. A kernel thread, or a zombie, has none of them.
func residentBytes(status string) (sum uint64, err error) {
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(line, ":")
		if name != "VmRSS" && name != "HugetlbPages" {
			continue
		}
		kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("unexpected %q: %w", line, err)
		}
		sum += kib << 10
	}
	return sum, nil
}

// Core is how long a CPU was in each state.
type Core struct {
	User    time.Duration `json:"user_ns"`
	System  time.Duration `json:"system_ns"`
	Idle    time.Duration `json:"idle_ns"`
	IRQ     time.Duration `json:"irq_ns"`
	SoftIRQ time.Duration `json:"softirq_ns"`
	Steal   time.Duration `json:"steal_ns"`
}

// Total is the time of all states.
func (c Core) Total() time.Duration {
	return c.User + c.System + c.Idle + c.IRQ + c.SoftIRQ + c.Steal
}

// Busy is the time in which the CPU did something.
func (c Core) Busy() time.Duration { return c.User + c.System + c.IRQ + c.SoftIRQ }

// Sub is what was added since an earlier reading.
func (c Core) Sub(o Core) Core {
	return Core{c.User - o.User, c.System - o.System, c.Idle - o.Idle, c.IRQ - o.IRQ, c.SoftIRQ - o.SoftIRQ, c.Steal - o.Steal}
}

// busyRatio is the share of the time, 0..1, in which the CPU was not idle; what the
// hypervisor took is not idle.
func (c Core) busyRatio() float64 {
	t := c.Total()
	if t <= 0 {
		return 0
	}
	return float64(c.Busy()+c.Steal) / float64(t)
}

// sumOf adds the states of some CPUs.
func sumOf(cores map[int]Core, cpus []int) (sum Core) {
	for _, id := range cpus {
		sum = sum.add(cores[id])
	}
	return sum
}

func (c Core) add(o Core) Core {
	return Core{c.User + o.User, c.System + o.System, c.Idle + o.Idle, c.IRQ + o.IRQ, c.SoftIRQ + o.SoftIRQ, c.Steal + o.Steal}
}

// Cores reads the states of all CPUs from /proc/stat.
func Cores() (map[int]Core, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil, err
	}
	return parseCores(string(b))
}

func parseCores(stat string) (map[int]Core, error) {
	cores := map[int]Core{}
	for line := range strings.Lines(stat) {
		number, ok := strings.CutPrefix(line, "cpu")
		if !ok || strings.HasPrefix(number, " ") { // "cpu" is the sum of all
			continue
		}
		id, core, err := parseCore(number)
		if err != nil {
			return nil, fmt.Errorf("unexpected line in /proc/stat: %q", line)
		}
		cores[id] = core
	}
	return cores, nil
}

// parseCore reads a CPU's number and its user, nice, system, idle, iowait, irq,
// softirq and steal time; guests' time is part of user and nice. Programs with a lower
// priority than normal ones (nice) run on what is left, as the one that keeps CPUs from
// sleeping does: their time counts as idle.
func parseCore(line string) (id int, c Core, err error) {
	fields := strings.Fields(line)
	var v [9]int64
	if len(fields) < len(v) {
		return 0, c, errors.New("too short")
	}
	for i := range v {
		if v[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil {
			return 0, c, err
		}
	}
	at := func(i int) time.Duration { return time.Duration(v[i]) * tick }
	c = Core{User: at(1), System: at(3), Idle: at(2) + at(4) + at(5), IRQ: at(6), SoftIRQ: at(7), Steal: at(8)}
	return int(v[0]), c, nil
}
