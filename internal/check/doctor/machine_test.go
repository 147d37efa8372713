package doctor

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
)

// files makes a file system of path, text pairs.
func files(pairs ...string) fstest.MapFS {
	root := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		root[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return root
}

const (
	sysCPU    = "sys/devices/system/cpu/"
	clockList = "sys/devices/system/clocksource/clocksource0/available_clocksource"
)

func TestMachine(t *testing.T) {
	separate := record.Placement{Kind: host.Separate, Generator: 0, Sink: 1, DUT: []int{1}}
	three := record.Placement{Kind: host.Separate, Generator: 5, Sink: 6, DUT: []int{7}}
	for _, c := range []struct {
		story string
		check check
		exam  exam
		want  Finding
	}{
		{"two CPUs", cpus, exam{host: record.Host{CPU: "EPYC", CPUs: 2}, placement: separate},
			Finding{State: OK, Detail: "2 x EPYC: generator on CPU 0, DUT and sink on CPU 1; a third would be the sink's own"}},
		{"eight CPUs", cpus, exam{host: record.Host{CPU: "EPYC", CPUs: 8, Virtualization: "KVM"}, placement: three},
			Finding{State: OK, Detail: "8 x EPYC, virtual (KVM): generator on CPU 5, sink on 6, DUT on 7"}},
		{"one CPU", cpus, exam{host: record.Host{CPU: "Xeon", CPUs: 1}, placement: record.Placement{Kind: host.Shared, DUT: []int{0}}},
			Finding{State: Warn, Detail: "1 x Xeon: generator, DUT and sink share CPU 0"}},
		{"no CPU", cpus, exam{host: record.Host{CPU: "Xeon", CPUs: 1}, unplaced: errors.New("no")},
			Finding{State: Missing, Detail: "1 x Xeon: no"}},

		{"threads of one core", siblings, exam{placement: separate, root: files(sysCPU+"cpu1/topology/thread_siblings_list", "0-1\n")},
			Finding{State: Warn, Detail: "CPU 1 (the DUT) and CPU 0 (the generator) are threads of one core"}},
		{"the sink is on the DUT's sibling", siblings, exam{placement: three, root: files(sysCPU+"cpu7/topology/thread_siblings_list", "6-7\n")},
			Finding{State: Warn, Detail: "CPU 7 (the DUT) and CPU 6 (the sink) are threads of one core"}},
		{"the sibling is idle", siblings, exam{placement: three, root: files(sysCPU+"cpu7/topology/thread_siblings_list", "3,7\n")},
			Finding{State: OK, Detail: "no two roles share a core"}},
		{"no topology", siblings, exam{placement: separate, root: files()},
			Finding{State: Info, Detail: "which CPUs share a core with CPU 1 is not known"}},

		{"enough memory", memory,
			exam{host: record.Host{MemoryBytes: 8 << 30},
				root: files("proc/meminfo", "MemTotal: 1 kB\nMemAvailable:    4194304 kB\n")},
			Finding{State: OK, Detail: "4.0 of 8.0 GiB available"}},
		{"little memory", memory, exam{host: record.Host{MemoryBytes: 1 << 30}, root: files("proc/meminfo", "MemAvailable:   104858 kB\n")},
			Finding{State: Warn, Detail: "0.1 of 1.0 GiB available"}},

		{"tsc", clocksource, exam{host: record.Host{Clocksource: "tsc"}}, Finding{State: OK, Detail: "tsc"}},
		{"paravirtual clock", clocksource, exam{host: record.Host{Clocksource: "kvm-clock"}}, Finding{State: OK, Detail: "kvm-clock"}},
		{"hpet with a tsc", clocksource, exam{host: record.Host{Clocksource: "hpet"}, root: files(clockList, "tsc hpet acpi_pm \n")},
			Finding{State: Warn, Detail: "hpet: slow to read, and every frame is timed twice",
				Fix: "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"}},
		{"hpet alone", clocksource, exam{host: record.Host{Clocksource: "hpet"}, root: files(clockList, "hpet acpi_pm \n")},
			Finding{State: Warn, Detail: "hpet: slow to read, and every frame is timed twice",
				Fix: "boot with clocksource=tsc tsc=reliable, if this machine's counter is steady"}},

		{"performance", governor, exam{host: record.Host{Governor: "performance"}}, Finding{State: OK, Detail: "governor performance"}},
		{"powersave", governor, exam{host: record.Host{Governor: "powersave"}},
			Finding{State: Warn, Detail: "governor powersave: the frequency follows the load, and so do the numbers"}},
		{"no cpufreq", governor, exam{}, Finding{State: OK, Detail: "not set by this kernel"}},

		{"shallow idle", idle, exam{host: record.Host{Idle: "haltpoll"}, placement: separate, root: files()},
			Finding{State: OK, Detail: "driver haltpoll"}},
		{"deep idle", idle, exam{host: record.Host{Idle: "intel_idle"}, placement: separate, root: idleStates("0")},
			Finding{State: Warn, Detail: "driver intel_idle, down to C6, which takes 133µs to wake up: latency at low loads shows it"}},
		{"kept awake", idle, exam{host: record.Host{Idle: "intel_idle"}, root: files("dev/cpu_dma_latency", "")},
			Finding{State: OK, Detail: "driver intel_idle, which runs keep from sleeping"}},
		{"deep idle switched off", idle, exam{host: record.Host{Idle: "intel_idle"}, placement: separate, root: idleStates("1")},
			Finding{State: OK, Detail: "driver intel_idle"}},

		{"dynamic preemption", preemption,
			exam{host: record.Host{Preemption: "PREEMPT_DYNAMIC"},
				root: files("sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n")},
			Finding{State: OK, Detail: "PREEMPT_DYNAMIC, full"}},
		{"real time", preemption, exam{host: record.Host{Preemption: "PREEMPT_RT"}, root: files()},
			Finding{State: Warn, Detail: "PREEMPT_RT: packets are received in threads that anything may interrupt, and slower"}},

		{"mitigations", mitigations, exam{host: record.Host{Mitigations: map[string]string{
			"spectre_v2": "Mitigation: Retpolines; STIBP: disabled", "meltdown": "Mitigation: PTI", "spec_store_bypass": "Vulnerable"}}},
			Finding{State: Info, Detail: "active against meltdown, spectre_v2"}},
		{"no mitigations", mitigations, exam{}, Finding{State: Info, Detail: "none active"}},
	} {
		t.Run(c.story, func(t *testing.T) { compare(t, c.check(context.Background(), &c.exam), c.want) })
	}
}

// idleStates are those of a server, the deepest disabled or not.
func idleStates(disabled string) fstest.MapFS {
	const dir = sysCPU + "cpu1/cpuidle/"
	return files(dir+"state0/name", "POLL", dir+"state0/latency", "0\n",
		dir+"state1/name", "C1", dir+"state1/latency", "2\n",
		dir+"state2/name", "C6\n", dir+"state2/latency", "133\n", dir+"state2/disable", disabled+"\n")
}

// compare compares findings. A state that asks for something to be done must
// come with a fix; which one is compared only where the case says it.
func compare(t *testing.T, got, want Finding) {
	t.Helper()
	if got.State != want.State || got.Detail != want.Detail {
		t.Errorf("got %s: %q, want %s: %q", got.State, got.Detail, want.State, want.Detail)
	}
	if got.Name == "" {
		t.Error("the finding has no name")
	}
	if (got.State == Warn || got.State == Missing) && got.Fix == "" {
		t.Error("no fix")
	}
	if want.Fix != "" && got.Fix != want.Fix {
		t.Errorf("fix %q, want %q", got.Fix, want.Fix)
	}
}

func TestCPUList(t *testing.T) {
	for in, want := range map[string]int{"0": 1, "0-3,8": 5, "1,3\n": 2} {
		if got, err := cpuList(in); err != nil || len(got) != want {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "a", "1-b"} {
		if got, err := cpuList(in); err == nil {
			t.Errorf("%q: %v", in, got)
		}
	}
}
