package smartnic

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// interrupts is where the kernel shows which CPU takes which interrupt.
const interrupts = "/proc/irq"

// spread looks at how a port's packets get to CPUs: its receive queues, their interrupts, and
// the NUMA node that it is at. None of a device without hardware. cpus are those of whom the
// port is.
func spread(root, irqs, key, name string, cpus scenario.CPUs) []dut.Finding {
	dir := filepath.Join(root, name)
	vectors, _ := os.ReadDir(filepath.Join(dir, "device", "msi_irqs"))
	queues, _ := filepath.Glob(filepath.Join(dir, "queues", "rx-*"))
	if len(vectors) == 0 || len(queues) == 0 {
		return nil
	}
	var on []string
	for _, v := range vectors {
		if at := read(filepath.Join(irqs, v.Name()), "smp_affinity_list"); at != "" && !slices.Contains(on, at) {
			on = append(on, at)
		}
	}
	slices.Sort(on)
	node := read(filepath.Join(dir, "device"), "numa_node")
	if node == "" || node == "-1" {
		node = "unknown"
	}
	return []dut.Finding{
		{What: key + ": receive queues and their CPUs",
			Found: fmt.Sprintf("%d queues; interrupts on CPUs %s; NUMA node %s", len(queues), strings.Join(on, " "), node),
			Set:   "nothing: stop irqbalance, and `echo CPU > /proc/irq/N/smp_affinity_list` for each of " + filepath.Join(dir, "device/msi_irqs"),
			Cost: fmt.Sprintf("what is received on a CPU that is not among those of its role (here %s) is in no CPU figure and slows down whoever is there; memory of another NUMA node is slower (unverified: no NIC was at hand)",
				chosen(cpus)),
			Source: "Documentation/networking/scaling.rst of Linux"},
		{What: key + ": which queue a packet comes to",
			Found: fmt.Sprintf("`ethtool -x %s` shows the hash and its table", name),
			Set: fmt.Sprintf("nothing: `ethtool -L %s combined N` for as many queues as CPUs; where the driver hashes TEIDs (ice, ethtool and Linux from 6.9 on), `ethtool -N %s rx-flow-hash gtpu4 sde`",
				name, name),
			Cost:   "a hash of the outer addresses and ports puts each gNB on one queue, so one gNB is as fast as one core (unverified: no NIC was at hand)",
			Source: "docs/scale.md; ethtool(8)"},
	}
}

func chosen(cpus scenario.CPUs) string {
	if len(cpus.List()) == 0 {
		return "upflab chooses"
	}
	return string(cpus)
}
