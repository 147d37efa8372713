package doctor

import (
	"context"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/record"
)

func TestKernel(t *testing.T) {
	for _, c := range []struct {
		story string
		check check
		exam  exam
		want  Finding
	}{
		{"Debian 12", version, exam{host: record.Host{Kernel: "6.1.0-31-amd64", OS: "Debian GNU/Linux 12 (bookworm)"}},
			Finding{State: OK, Detail: "6.1.0-31-amd64, Debian GNU/Linux 12 (bookworm)"}},
		{"a later major", version, exam{host: record.Host{Kernel: "10.0.1"}}, Finding{State: OK, Detail: "10.0.1"}},
		{"Ubuntu 22.04", version, exam{host: record.Host{Kernel: "5.15.0-91-generic"}}, Finding{State: Missing, Detail: "5.15.0-91-generic",
			Fix: "boot Linux 6.1 or later (Debian 12, Ubuntu 24.04 and newer have one)"}},
		{"six dot zero", version, exam{host: record.Host{Kernel: "6.0.19"}}, Finding{State: Missing, Detail: "6.0.19"}},
		{"no version", version, exam{host: record.Host{Kernel: "custom"}}, Finding{State: Untried, Detail: `no version in "custom"`}},

		{"compiled", jit, exam{host: record.Host{BPFJIT: "1"}}, Finding{State: OK, Detail: "on"}},
		{"interpreted", jit, exam{host: record.Host{BPFJIT: "0"}},
			Finding{State: Warn, Detail: "off: BPF programs are interpreted, several times slower",
				Fix: "sudo sysctl -w net.core.bpf_jit_enable=1"}},
		{"debugged", jit, exam{host: record.Host{BPFJIT: "2"}}, Finding{State: Warn, Detail: "on, writing every program to the log"}},
		{"unreadable", jit, exam{}, Finding{State: Info, Detail: "its state cannot be read"}},

		{"BTF", btf, exam{root: files("sys/kernel/btf/vmlinux", "x")}, Finding{State: OK, Detail: "/sys/kernel/btf/vmlinux"}},
		{"no BTF", btf, exam{root: files()}, Finding{State: Warn, Detail: "none: a DUT whose BPF programs adapt to the kernel does not start"}},

		{"root", root, exam{}, Finding{State: OK, Detail: "yes"}},
		{"not root", root, exam{uid: 1000}, Finding{State: Missing, Detail: "no (user 1000)"}},
		{"all capabilities", capabilities, exam{root: files("proc/self/status", "CapPrm:\t0\nCapEff:\t000001ffffffffff\n")},
			Finding{State: OK, Detail: "CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_BPF, CAP_PERFMON, CAP_SYS_NICE"}},
		{"no status", capabilities, exam{root: files()}, Finding{State: Missing, Detail: "no CapEff in /proc/self/status"}},

		{"live frames without root", liveFrames, exam{uid: 1000}, Finding{State: Untried, Detail: "needs root to be tried"}},
		{"a lab without root", vethXDP, exam{uid: 1000}, Finding{State: Untried, Detail: "needs root to be tried"}},
		{"no lab", threadedNAPI, exam{}, Finding{State: Untried, Detail: "there is no testbed to try it on"}},
	} {
		t.Run(c.story, func(t *testing.T) { compare(t, c.check(context.Background(), &c.exam), c.want) })
	}
}

func TestCapabilities(t *testing.T) {
	const all = 1<<41 - 1
	for _, c := range []struct {
		story string
		have  uint64
		want  Finding
	}{
		{"CAP_SYS_ADMIN includes CAP_BPF and CAP_PERFMON", all &^ (1<<unix.CAP_BPF | 1<<unix.CAP_PERFMON),
			Finding{State: OK, Detail: "CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_BPF, CAP_PERFMON, CAP_SYS_NICE"}},
		{"a default container", 0xa80425fb, Finding{State: Missing,
			Detail: "without CAP_SYS_ADMIN (network namespaces), CAP_NET_ADMIN (links, routes, XDP), CAP_BPF (BPF " +
				"programs), CAP_PERFMON (BPF programs), CAP_SYS_NICE (pinned NAPI threads)"}},
		{"CAP_NET_ADMIN alone is not there", all &^ (1 << unix.CAP_NET_ADMIN),
			Finding{State: Missing, Detail: "without CAP_NET_ADMIN (links, routes, XDP)"}},
	} {
		t.Run(c.story, func(t *testing.T) { compare(t, judgeCaps(c.have), c.want) })
	}
}

func TestLockedMemory(t *testing.T) {
	compare(t, judgeLocked(unix.RLIM_INFINITY, false), Finding{State: OK, Detail: "unlimited"})
	compare(t, judgeLocked(8<<20, true), Finding{State: OK, Detail: "CAP_SYS_RESOURCE may lift its limit"})
	compare(t, judgeLocked(8<<20, false), Finding{State: Warn,
		Detail: "at most 8192 KiB and no CAP_SYS_RESOURCE to lift that: some DUTs (eUPF) end at start; upflab itself does not mind"})
}
