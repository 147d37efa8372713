// Package podinside is what a pod sees of its node: CPUs, NUMA, huge pages, devices, and the
// limits of its control group.
package podinside

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/telemetry"
)

// Look looks around.
func Look() record.PodInside {
	limits := telemetry.ReadLimits()
	p := look("/sys", allowed())
	p.CPULimit, p.Memory = limits.CPUs, limits.MemoryBytes
	p.Throttled = telemetry.ReadThrottling().Time.Seconds()
	return p
}

// allowed are the CPUs that this program may run on.
func allowed() (list []int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return list
}

func look(sys string, cpus []int) record.PodInside {
	p := record.PodInside{CPUs: cpus, NodeCPUs: onlineCPUs(sys), Devices: map[string]int{}, Drivers: map[string]string{}, Hugepages: map[string]uint64{}}
	for _, cpu := range cpus {
		found, _ := filepath.Glob(filepath.Join(sys, "devices/system/cpu", "cpu"+strconv.Itoa(cpu), "node*"))
		for _, path := range found {
			if n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(path), "node")); err == nil && !slices.Contains(p.NUMANodes, n) {
				p.NUMANodes = append(p.NUMANodes, n)
			}
		}
	}
	devices, _ := filepath.Glob(filepath.Join(sys, "class/net/*"))
	for _, path := range devices {
		name := filepath.Base(path)
		if n, err := strconv.Atoi(word(path, "device/numa_node")); err == nil && n >= 0 {
			p.Devices[name] = n
		}
		if driver, err := os.Readlink(filepath.Join(path, "device/driver")); err == nil {
			p.Drivers[name] = filepath.Base(driver)
		}
	}
	pages, _ := filepath.Glob(filepath.Join(sys, "kernel/mm/hugepages/hugepages-*"))
	for _, path := range pages {
		if n, err := strconv.ParseUint(word(path, "nr_hugepages"), 10, 64); err == nil && n > 0 {
			p.Hugepages[strings.TrimPrefix(filepath.Base(path), "hugepages-")] = n
		}
	}
	return p
}

// onlineCPUs is how many the node has.
func onlineCPUs(sys string) (n int) {
	for part := range strings.SplitSeq(word(sys, "devices/system/cpu/online"), ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		if err != nil {
			return runtime.NumCPU()
		}
		to := from
		if isRange {
			to, _ = strconv.Atoi(last)
		}
		n += to - from + 1
	}
	return n
}

func word(dir, file string) string {
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
