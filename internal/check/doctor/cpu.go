package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
)

func cpus(_ context.Context, e *exam) Finding {
	f := Finding{Name: "CPUs", State: OK}
	where := ""
	if e.host.Virtualization != "" {
		where = ", virtual (" + e.host.Virtualization + ")"
	}
	f.Detail = fmt.Sprintf("%d x %s%s: ", e.host.CPUs, e.host.CPU, where)
	p := e.placement
	switch {
	case e.unplaced != nil:
		f.State, f.Detail = Missing, f.Detail+e.unplaced.Error()
		f.Fix = "let upflab use more CPUs: taskset, the container's cpuset"
	case p.Kind == host.Shared:
		f.State, f.Detail = Warn, f.Detail+fmt.Sprintf("generator, DUT and sink share CPU %d", p.Generator)
		f.Fix = "use two CPUs or more: on one, the DUT slows the generator, and neither's limit is seen"
	case slices.Contains(p.DUT, p.Sink):
		f.Detail += fmt.Sprintf("generator on CPU %d, DUT and sink on CPU %d; a third would be the sink's own", p.Generator, p.Sink)
	default:
		f.Detail += fmt.Sprintf("generator on CPU %d, sink on %d, DUT on %s", p.Generator, p.Sink, join(p.DUT))
	}
	return f
}

func join(cpus []int) string {
	words := make([]string, len(cpus))
	for i, cpu := range cpus {
		words[i] = strconv.Itoa(cpu)
	}
	return strings.Join(words, ", ")
}

// siblings warns when two roles are threads of one core: each takes half of what
// the other could do.
func siblings(_ context.Context, e *exam) Finding {
	f := Finding{Name: "SMT", State: OK, Detail: "no two roles share a core"}
	p := e.placement
	if e.unplaced != nil || p.Kind == host.Shared {
		f.State, f.Detail = Info, "one CPU has all the roles"
		return f
	}
	for _, dut := range p.DUT {
		list := e.read(fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", dut))
		threads, err := cpuList(list)
		if err != nil {
			f.State, f.Detail = Info, fmt.Sprintf("which CPUs share a core with CPU %d is not known", dut)
			return f
		}
		for _, other := range []struct {
			role string
			cpu  int
		}{{"the generator", p.Generator}, {"the sink", p.Sink}} {
			if other.cpu != dut && slices.Contains(threads, other.cpu) {
				f.State = Warn
				f.Detail = fmt.Sprintf("CPU %d (the DUT) and CPU %d (%s) are threads of one core", dut, other.cpu, other.role)
				f.Fix = "choose CPUs of different cores (--set cpu.dut=N --set cpu.generator=N; see `lscpu -e`), " +
					"or: echo off | sudo tee /sys/devices/system/cpu/smt/control"
				return f
			}
		}
	}
	return f
}

// cpuList reads the kernel's list format: "0-2,8".
func cpuList(s string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(strings.TrimSpace(s), ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.Atoi(from)
		if err != nil {
			return nil, fmt.Errorf("read CPU list %q: %w", s, err)
		}
		last, err := strconv.Atoi(to)
		if err != nil {
			return nil, fmt.Errorf("read CPU list %q: %w", s, err)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

func governor(_ context.Context, e *exam) Finding {
	f := Finding{Name: "CPU frequency", State: OK, Detail: "governor " + e.host.Governor}
	switch e.host.Governor {
	case "performance":
	case "":
		f.Detail = "not set by this kernel"
	default:
		f.State = Warn
		f.Detail += ": the frequency follows the load, and so do the numbers"
		f.Fix = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
	}
	return f
}

// deepSleep is the wake-up time from which an idle state is seen in latencies.
const deepSleep = 10 * time.Microsecond

// idle looks whether the DUT's CPU can be kept from sleeping between two packets, and
// how deep it sleeps otherwise.
func idle(_ context.Context, e *exam) Finding {
	f := Finding{Name: "CPU idle", State: OK, Detail: "driver " + e.host.Idle}
	if e.host.Idle == "" || e.host.Idle == "none" {
		f.Detail = "no driver; runs keep the CPUs of the UPF and the sink busy with nothing instead"
		return f
	}
	if _, err := fs.Stat(e.root, "dev/cpu_dma_latency"); err == nil {
		f.Detail += ", which runs keep from sleeping"
		return f
	}
	if e.unplaced != nil {
		return f
	}
	name, wake := e.deepestIdle(e.placement.DUT[0])
	if wake < deepSleep {
		return f
	}
	f.State = Warn
	f.Detail += fmt.Sprintf(", down to %s, which takes %s to wake up: latency at low loads shows it", name, wake)
	f.Fix = fmt.Sprintf("sudo cpupower idle-set -D %d", deepSleep.Microseconds())
	return f
}

// deepestIdle is the enabled idle state with the longest wake-up time.
func (e *exam) deepestIdle(cpu int) (name string, wake time.Duration) {
	for i := range 16 {
		dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpuidle/state%d/", cpu, i)
		us, err := strconv.Atoi(e.read(dir + "latency"))
		if err != nil {
			return name, wake
		}
		if d := time.Duration(us) * time.Microsecond; d > wake && e.read(dir+"disable") != "1" {
			name, wake = e.read(dir+"name"), d
		}
	}
	return name, wake
}
