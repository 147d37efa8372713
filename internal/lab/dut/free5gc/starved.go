package free5gc

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
)

// waiting is what the scheduler says of a process since its start.
type waiting struct {
	ran, waited time.Duration // on a CPU; ready to run while others had it
}

// schedule reads it; the kernel gives it in ns.
func schedule(root string, pid int) (w waiting, err error) {
	text, err := os.ReadFile(fmt.Sprintf("%s/%d/schedstat", root, pid))
	if err != nil {
		return w, err
	}
	_, err = fmt.Sscan(string(text), &w.ran, &w.waited)
	return w, err
}

// starved says why a guest may not have started in time: who had its CPU, and whether
// another run is under way. "" when neither is known.
func starved(root string, pid int) string {
	var reasons []string
	if w, err := schedule(root, pid); err == nil && w.waited > w.ran {
		reasons = append(reasons, fmt.Sprintf("its CPU was taken: the guest ran for %.1f s and waited %.1f s while other programs had the CPU",
			w.ran.Seconds(), w.waited.Seconds()))
	}
	records, _ := host.Records()
	return strings.Join(append(reasons, others(records, os.Getpid())...), "; ")
}

// others names the runs that are not of this process.
func others(records []host.Record, self int) (list []string) {
	for _, r := range records {
		if r.Live && r.PID != self {
			list = append(list, fmt.Sprintf("another run is under way (%s, process %d): let it end first", r.Run, r.PID))
		}
	}
	return list
}
