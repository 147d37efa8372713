package host

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/ptp"
	"github.com/upflab/upflab/internal/record"
)

// Facts describes the machine. What cannot be read stays empty.
func Facts() record.Host {
	h := record.Host{
		OS: osName(), Kernel: kernelRelease(), CPU: cpuField("model name"), CPUs: runtime.NumCPU(), MemoryBytes: memory(),
		Virtualization: virtualization(),
		Clocksource:    read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		Governor:       read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		Idle:           idleDriver(),
		Preemption:     preemption(),
		Cmdline:        read("/proc/cmdline"),
		BPFJIT:         read("/proc/sys/net/core/bpf_jit_enable"),
		Mitigations:    mitigations(),
		PTP:            ptpState(ptp.Socket),
	}
	h.Hostname, _ = os.Hostname()
	return h
}

func read(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func osName() string {
	for line := range strings.Lines(read("/etc/os-release")) {
		if v, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			return strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return ""
}

func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// preemption is the word of `uname -v` that tells of it.
func preemption() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	for word := range strings.FieldsSeq(unix.ByteSliceToString(u.Version[:])) {
		if strings.HasPrefix(word, "PREEMPT") {
			return word
		}
	}
	return "none"
}

func cpuField(name string) string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func memory() uint64 {
	for line := range strings.Lines(read("/proc/meminfo")) {
		if v, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kib, _ := strconv.ParseUint(strings.Fields(v)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}

func virtualization() string {
	if v := read("/sys/hypervisor/type"); v != "" {
		return v
	}
	if strings.Contains(" "+cpuField("flags")+" ", " hypervisor ") {
		if vendor := read("/sys/class/dmi/id/sys_vendor"); vendor != "" {
			return vendor
		}
		return "virtual machine"
	}
	return ""
}

func mitigations() map[string]string {
	out := map[string]string{}
	paths, _ := filepath.Glob("/sys/devices/system/cpu/vulnerabilities/*")
	for _, path := range paths {
		if v := read(path); v != "" && v != "Not affected" {
			out[filepath.Base(path)] = v
		}
	}
	return out
}

// AtLeast reports whether a kernel's release, "6.18.44-fc", is that version or a later
// one.
func AtLeast(release string, major, minor int) (bool, error) {
	var a, b int
	if _, err := fmt.Sscanf(release, "%d.%d", &a, &b); err != nil {
		return false, fmt.Errorf("no version in %q", release)
	}
	return a > major || a == major && b >= minor, nil
}

// Runs reports whether this machine's kernel is that version or a later one, or does not say which it is.
func Runs(major, minor int) bool {
	ok, err := AtLeast(kernelRelease(), major, minor)
	return ok || err != nil
}

// VethReceives reports whether frames that XDP redirects into a veth reach sockets behind it: with GRO on its
// other end takes them from Linux 5.13 on, and before only an XDP program there.
func VethReceives() bool { return Runs(5, 13) }

// ptpState is what a ptp4l says; nil: it does not run, or does not answer.
func ptpState(socket string) *record.PTP {
	s, err := ptp.Read(socket)
	if err != nil {
		return nil
	}
	p := &record.PTP{Domain: s.Domain, Ports: s.Ports, OffsetNS: s.OffsetNS, PathDelayNS: s.PathDelayNS, Steps: s.Steps}
	if s.Followed {
		p.Grandmaster = s.Grandmaster
	}
	return p
}

// ThreadsHoldSoftIRQ reports whether the time of a thread holds the softirqs that run on
// top of it: the kernel was built without CONFIG_IRQ_TIME_ACCOUNTING. false: it does not, or
// that is not known.
func ThreadsHoldSoftIRQ() bool {
	config, err := kernelConfig()
	if err != nil {
		return false
	}
	defer config.Close()
	return threadsHoldSoftIRQ(config)
}

func threadsHoldSoftIRQ(config io.Reader) bool {
	for lines := bufio.NewScanner(config); lines.Scan(); {
		if lines.Text() == "# CONFIG_IRQ_TIME_ACCOUNTING is not set" {
			return true
		}
	}
	return false
}

// kernelConfig is how the running kernel was configured.
func kernelConfig() (io.ReadCloser, error) {
	if f, err := os.Open("/proc/config.gz"); err == nil {
		unpacked, err := gzip.NewReader(f)
		if err != nil {
			f.Close()
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{unpacked, f}, nil
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return nil, err
	}
	release, _, _ := strings.Cut(string(name.Release[:]), "\x00")
	return os.Open("/boot/config-" + release)
}
