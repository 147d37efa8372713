package telemetry

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// FrequencyMHz is the mean clock rate of CPUs, MHz, as cpufreq reports it; false
// where it does not, as in most virtual machines. (The figure of /proc/cpuinfo is
// a nominal one there.)
func FrequencyMHz(cpus []int) (float64, bool) { return frequency("/sys/devices/system/cpu", cpus) }

func frequency(root string, cpus []int) (mhz float64, ok bool) {
	for _, cpu := range cpus {
		b, err := os.ReadFile(filepath.Join(root, fmt.Sprintf("cpu%d/cpufreq/scaling_cur_freq", cpu)))
		if err != nil {
			return 0, false
		}
		khz, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
		if err != nil || khz == 0 {
			return 0, false
		}
		mhz += float64(khz) / 1e3 / float64(len(cpus))
	}
	return mhz, len(cpus) > 0
}
