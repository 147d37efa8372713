package smartnic

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// machine is where the kernel shows devices, interrupts and CPUs.
type machine struct{ devices, irqs, cpus string }

// spread looks at how a port's packets get to CPUs: which CPUs take its interrupts, and whether these
// are of those whose port it is, and at the same NUMA node. None of a device without hardware.
func (m machine) spread(key, name string, cpus []int) []dut.Finding {
	dir := filepath.Join(m.devices, name)
	vectors, _ := os.ReadDir(filepath.Join(dir, "device", "msi_irqs"))
	queues, _ := filepath.Glob(filepath.Join(dir, "queues", "rx-*"))
	if len(vectors) == 0 || len(queues) == 0 {
		return nil
	}
	return []dut.Finding{m.interrupts(key, len(queues), vectors, cpus), m.node(key, dir, cpus)}
}

// interrupts are placed well where each of them goes to a CPU of the role alone.
func (m machine) interrupts(key string, queues int, vectors []os.DirEntry, cpus []int) dut.Finding {
	var on, elsewhere []string
	for _, v := range vectors {
		at := read(filepath.Join(m.irqs, v.Name()), "smp_affinity_list")
		if at == "" {
			continue
		}
		if !slices.Contains(on, at) {
			on = append(on, at)
		}
		if !within(at, cpus) {
			elsewhere = append(elsewhere, v.Name())
		}
	}
	slices.Sort(on)
	f := dut.Finding{What: key + ": receive queues and their CPUs", Source: "Documentation/networking/scaling.rst of Linux",
		Found: fmt.Sprintf("%d queues; interrupts on CPUs %s", queues, strings.Join(on, " ")),
		Cost:  "none: all of them are of its role, which has CPUs " + numbers(cpus)}
	if len(elsewhere) > 0 {
		f.Set = fmt.Sprintf("nothing: stop irqbalance, and for each N of %s `echo CPU > "+
			"/proc/irq/N/smp_affinity_list`, with a CPU of %s", strings.Join(elsewhere, " "), numbers(cpus))
		f.Cost = fmt.Sprintf("%d of %d may come to CPUs that are not of its role: what is received there is in no "+
			"CPU figure and slows down whoever is there (unverified: no NIC was at hand)", len(elsewhere), len(vectors))
	}
	return f
}

// within reports whether a list of CPUs, as the kernel writes it, has none but these.
func within(list string, cpus []int) bool {
	for _, cpu := range scenario.CPUs(list).List() {
		if !slices.Contains(cpus, cpu) {
			return false
		}
	}
	return true
}

// node compares the NUMA node of a port with those of CPUs.
func (m machine) node(key, dir string, cpus []int) dut.Finding {
	f := dut.Finding{What: key + ": NUMA node", Source: "Documentation/ABI/testing/sysfs-bus-pci of Linux"}
	node := read(filepath.Join(dir, "device"), "numa_node")
	if node == "" || node == "-1" {
		f.Found, f.Cost = "unknown, or the machine has one", "none with one node"
		return f
	}
	f.Found, f.Cost = "node "+node, "none: the CPUs of its role are at the same"
	var apart []int
	for _, cpu := range cpus {
		if _, err := os.Stat(filepath.Join(m.cpus, fmt.Sprintf("cpu%d", cpu), "node"+node)); err != nil {
			apart = append(apart, cpu)
		}
	}
	if len(apart) > 0 {
		f.Set = "nothing: name CPUs of " + filepath.Join("/sys/devices/system/node", "node"+node, "cpulist") +
			" in cpu.dut, cpu.generator and cpu.sink"
		f.Cost = fmt.Sprintf("CPUs %s of its role are at another: each packet crosses between the nodes "+
			"(unverified: no NIC was at hand)", numbers(apart))
	}
	return f
}

func numbers(cpus []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(cpus), " ", ","), "[]")
}
