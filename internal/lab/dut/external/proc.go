package external

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
)

// tick is the unit of CPU times in /proc: USER_HZ is 100 on every Linux.
const tick = 10 * time.Millisecond

// parseProc reads the first line of /proc/stat, /proc/PID/stat and the lines of /proc/PID/status
// that are memory of the process's: VmRSS, and HugetlbPages, which is not part of it.
func parseProc(lines []string) (m dut.Meter, err error) {
	if len(lines) < 2 {
		return m, fmt.Errorf("read the UPF's process over SSH: %q: has it ended?", strings.Join(lines, " "))
	}
	if m.Busy, m.Total, err = hostTime(lines[0]); err != nil {
		return m, err
	}
	if m.DUT, err = processTime(lines[1]); err != nil {
		return m, err
	}
	for _, line := range lines[2:] {
		var name string
		var kib uint64
		if _, err := fmt.Sscanf(line, "%s %d kB", &name, &kib); err == nil {
			m.Memory += kib << 10
		}
	}
	return m, nil
}

// hostTime reads "cpu user nice system idle iowait irq softirq steal ...".
func hostTime(line string) (busy, total time.Duration, err error) {
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, 0, fmt.Errorf("unexpected first line of /proc/stat: %q", line)
	}
	for i, text := range fields[1:9] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("unexpected first line of /proc/stat: %q", line)
		}
		total += time.Duration(n) * tick
		if i != 3 && i != 4 { // idle, iowait
			busy += time.Duration(n) * tick
		}
	}
	return busy, total, nil
}

// processTime adds utime and stime, fields 14 and 15 of /proc/PID/stat.
func processTime(line string) (time.Duration, error) {
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:]) // from field 3 on
	const utime, stime = 14 - 3, 15 - 3
	if len(fields) <= stime {
		return 0, fmt.Errorf("unexpected /proc/PID/stat: %q", line)
	}
	user, err1 := strconv.ParseInt(fields[utime], 10, 64)
	system, err2 := strconv.ParseInt(fields[stime], 10, 64)
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("unexpected /proc/PID/stat: %q", line)
	}
	return time.Duration(user+system) * tick, nil
}
