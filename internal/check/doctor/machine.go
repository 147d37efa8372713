package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// read gives a small file's text without the white space around it; "" when it
// cannot be read.
func (e *exam) read(path string) string {
	b, err := fs.ReadFile(e.root, path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// enoughMemory is what a run takes with thousands of sessions.
const enoughMemory = 512 << 20

func memory(_ context.Context, e *exam) Finding {
	const gib = 1 << 30
	f := Finding{Name: "memory", State: OK}
	free := available(e.read("proc/meminfo"))
	f.Detail = fmt.Sprintf("%.1f of %.1f GiB available", float64(free)/gib, float64(e.host.MemoryBytes)/gib)
	if free < enoughMemory {
		f.State = Warn
		f.Fix = "end other programs, or keep `sessions` small"
	}
	return f
}

// available is MemAvailable of /proc/meminfo, in bytes.
func available(meminfo string) uint64 {
	for line := range strings.Lines(meminfo) {
		v, ok := strings.CutPrefix(line, "MemAvailable:")
		if !ok {
			continue
		}
		kib, _ := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(v), " kB"), 10, 64)
		return kib << 10
	}
	return 0
}

// fastClocks are those that a program reads in some 20 ns. Two of them are what
// a hypervisor makes of the CPU's counter.
func fastClock(name string) bool {
	return slices.Contains([]string{"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"}, name)
}

func clocksource(_ context.Context, e *exam) Finding {
	f := Finding{Name: "clock", State: OK, Detail: e.host.Clocksource}
	if fastClock(e.host.Clocksource) {
		return f
	}
	const dir = "sys/devices/system/clocksource/clocksource0/"
	f.State = Warn
	f.Detail += ": slow to read, and every frame is timed twice"
	f.Fix = "boot with clocksource=tsc tsc=reliable, if this machine's counter is steady"
	if slices.Contains(strings.Fields(e.read(dir+"available_clocksource")), "tsc") {
		f.Fix = "echo tsc | sudo tee /" + dir + "current_clocksource"
	}
	return f
}

func preemption(_ context.Context, e *exam) Finding {
	f := Finding{Name: "preemption", State: OK, Detail: e.host.Preemption}
	if mode := preemptMode(e.read("sys/kernel/debug/sched/preempt")); mode != "" {
		f.Detail += ", " + mode
	}
	if strings.Contains(e.host.Preemption, "PREEMPT_RT") {
		f.State = Warn
		f.Detail += ": packets are received in threads that anything may interrupt, and slower"
		f.Fix = "compare only with other runs on such a kernel, or boot the distribution's standard one"
	}
	return f
}

// preemptMode is the word in parentheses: "none voluntary (full) lazy".
func preemptMode(s string) string {
	_, rest, _ := strings.Cut(s, "(")
	mode, _, found := strings.Cut(rest, ")")
	if !found {
		return ""
	}
	return mode
}

// mitigations is information only: they slow down a datapath in the kernel, which matters
// when two machines are compared.
func mitigations(_ context.Context, e *exam) Finding {
	f := Finding{Name: "mitigations", State: Info, Detail: "none active"}
	var active []string
	for _, name := range slices.Sorted(maps.Keys(e.host.Mitigations)) {
		if strings.Contains(e.host.Mitigations[name], "Mitigation") {
			active = append(active, name)
		}
	}
	if len(active) > 0 {
		f.Detail = "active against " + strings.Join(active, ", ")
	}
	return f
}
