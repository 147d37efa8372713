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

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Look reads what this pod sees.
func Look() record.PodInside {
	limits := telemetry.ReadLimits()
	cpus, _ := host.AllowedCPUs() // none are shown where they cannot be read
	p := look("/sys", cpus)
	p.CPULimit, p.Memory = limits.CPUs, limits.MemoryBytes
	p.Throttled = telemetry.ReadThrottling().Time.Seconds()
	return p
}

func look(sys string, cpus []int) record.PodInside {
	p := record.PodInside{CPUs: cpus, NodeCPUs: onlineCPUs(sys), Devices: map[string]int{},
		Drivers: map[string]string{}, Hugepages: map[string]uint64{}}
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
func onlineCPUs(sys string) int {
	if list := scenario.CPUs(word(sys, "devices/system/cpu/online")).List(); len(list) > 0 {
		return len(list)
	}
	return runtime.NumCPU()
}

func word(dir, file string) string {
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
