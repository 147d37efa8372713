package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
)

// A process is worth a warning from this share of one CPU on.
const busyShare = 0.10

// tick is the unit of CPU time in /proc/PID/stat: USER_HZ is 100 on every Linux
// that runs Go.
const tick = 10 * time.Millisecond

// usage is the CPU time of one process.
type usage struct {
	pid  int
	name string
	time time.Duration
}

// otherLoad watches who else uses the CPUs.
func otherLoad(ctx context.Context, e *exam) Finding {
	before := usages(e.root)
	_ = wait.Pause(ctx, watchFor)
	return e.others(judgeLoad(busiest(before, usages(e.root)), e.read("proc/loadavg")))
}

func judgeLoad(busy []usage, loadavg string) Finding {
	f := Finding{Name: "other load", State: OK, Detail: "none"}
	if one, _, found := strings.Cut(loadavg, " "); found {
		f.Detail = "load average " + one + " over the last minute"
	}
	if len(busy) == 0 {
		return f
	}
	var words []string
	for _, u := range busy[:min(len(busy), 3)] {
		words = append(words, fmt.Sprintf("%s (process %d) %.0f %%", u.name, u.pid, 100*u.time.Seconds()/watchFor.Seconds()))
	}
	if more := len(busy) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	f.State = Warn
	f.Detail += "; now busy, of one CPU: " + strings.Join(words, ", ")
	f.Fix = "end them, or wait: each takes CPU time from the generator or the DUT"
	return f
}

// usages reads the CPU times of all processes but this one.
func usages(root fs.FS) map[int]usage {
	found := map[int]usage{}
	paths, _ := fs.Glob(root, "proc/[0-9]*/stat") // the pattern is right
	for _, p := range paths {
		pid, err := strconv.Atoi(path.Base(path.Dir(p)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		b, err := fs.ReadFile(root, p)
		if err != nil {
			continue // it has ended
		}
		if name, d, ok := parseStat(string(b)); ok {
			found[pid] = usage{pid, name, d}
		}
	}
	return found
}

// parseStat reads the name and the CPU time (utime + stime, fields 14 and 15)
// from /proc/PID/stat. The name, in parentheses, may hold anything.
func parseStat(s string) (name string, d time.Duration, ok bool) {
	open, end := strings.IndexByte(s, '('), strings.LastIndexByte(s, ')')
	if open < 0 || end < open {
		return "", 0, false
	}
	fields := strings.Fields(s[end+1:]) // from field 3, the state, on
	if len(fields) < 13 {
		return "", 0, false
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return "", 0, false
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	if err != nil {
		return "", 0, false
	}
	return s[open+1 : end], time.Duration(user+system) * tick, true
}

// busiest lists who used more than busyShare of a CPU in between, most first.
func busiest(before, after map[int]usage) []usage {
	var list []usage
	for pid, u := range after {
		u.time -= before[pid].time
		if u.time.Seconds() >= busyShare*watchFor.Seconds() {
			list = append(list, u)
		}
	}
	slices.SortFunc(list, func(a, b usage) int { return int(b.time - a.time) })
	return list
}
