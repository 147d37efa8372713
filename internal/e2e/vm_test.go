package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/machine/vm"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/wait"
)

// guestKernel is a kernel that guests can have here.
func guestKernel(t *testing.T) string {
	t.Helper()
	if _, err := vm.FindQEMU(t.Context()); err != nil {
		t.Skip(err)
	}
	_, err := vm.FindKernel(scenario.HostKernel, vm.Cache())
	if err == nil {
		return scenario.HostKernel
	}
	for _, name := range vm.CachedKernels(vm.Cache()) {
		if _, bad := vm.FindKernel(name, vm.Cache()); bad == nil && name != "5.10" { // which loads no XDP program
			return filepath.Join(vm.Cache(), name)
		}
	}
	t.Skip(err)
	return ""
}

// inGuest is a short run in a virtual machine.
func inGuest(kernel, dir string) []string {
	return []string{"run", "quick", "--site", "vm", "--set", "vm.kernel=" + kernel, "--dut", "builtin:xdp", "--out", dir,
		"--set", "loads=1k", "--set", "directions=uplink", "--set", "duration=300ms", "--set", "warmup=100ms", "--set", "latency.rate=500",
		"--set", "latency.duration=200ms", "--set", "disturbed=keep", "--set", "attempts=1", "--set", "thresholds=wrong == 0"}
}

// TestVM: a run in a virtual machine, whose result is here. One that is emulated may keep the generator from its load: it
// is the frames' contents that count.
func TestVM(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	kernel, dir := guestKernel(t), t.TempDir()
	q, err := vm.FindQEMU(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if accel, _ := q.Accelerator(t.Context()); accel == vm.TCG && os.Getenv("UPFLAB_EMULATED") == "" {
		t.Skip("an emulated run takes minutes: UPFLAB_EMULATED=1 runs it")
	}
	c := upflab(t, inGuest(kernel, dir))
	if status := c.status(15 * time.Minute); status != 0 && status != 3 {
		t.Fatalf("exit status %d\n%s", status, c.said())
	}
	r := load(t, dir)
	found, err := vm.FindKernel(kernel, vm.Cache())
	if err != nil {
		t.Fatal(err)
	}
	if name, _ := os.Hostname(); r.Host.Hostname != name || !slices.Contains(r.Command, "--site") {
		t.Errorf("measured on %q by %q, want %q and the command that was typed", r.Host.Hostname, r.Command, name)
	}
	if r.VM == nil || r.VM.Kernel != found.Release || r.Host.Kernel != found.Release || r.VM.NIC != "veth" || r.VM.CPUs != 2 {
		t.Errorf("measured in %+v, host %s, want Linux %s", r.VM, r.Host.Kernel, found.Release)
	}
	if said := strings.Join(r.Notes, "\n"); r.VM.Emulated() != strings.Contains(said, "no rate, delay, loss or CPU time") {
		t.Errorf("%s, and the notes are %q", r.VM.Accel, said)
	}
	for _, d := range r.DUTs {
		for _, trial := range d.Trials {
			if trial.RxPackets == 0 || trial.Wrong != 0 {
				t.Errorf("%s: %d packets arrived, %d of them wrong", d.Name, trial.RxPackets, trial.Wrong)
			}
		}
	}
	if report, _ := os.ReadFile(filepath.Join(dir, "report.md")); !strings.Contains(string(report), "in QEMU "+r.VM.QEMU) {
		t.Error("the report does not say where it was measured")
	}
}

// TestVMEnds: a virtual machine goes with upflab, at a signal and at a kill, before it has booted and while its command
// runs.
func TestVMEnds(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	kernel := guestKernel(t)
	for _, s := range []struct {
		signal syscall.Signal
		status int
	}{{syscall.SIGINT, 130}, {syscall.SIGKILL, -1}} {
		dir := filepath.Join(t.TempDir(), "out")
		c := upflab(t, inGuest(kernel, dir))
		c.says("booting a virtual machine")
		if !wait.Until(10*time.Second, 50*time.Millisecond, func() bool { return len(guestsOf(dir)) > 0 }) {
			t.Fatalf("no virtual machine was started:\n%s", c.said())
		}
		c.signal(s.signal)
		if got := c.status(10 * time.Second); got != s.status {
			t.Errorf("%v: exit status %d, want %d\n%s", s.signal, got, s.status, c.said())
		}
		if !wait.Until(5*time.Second, 50*time.Millisecond, func() bool { return len(guestsOf(dir)) == 0 }) {
			t.Errorf("%v: the virtual machine goes on: %v", s.signal, guestsOf(dir))
		}
		if _, err := os.Stat(dir); s.signal == syscall.SIGINT && err == nil {
			t.Errorf("an empty folder is left: %s", dir)
		}
	}
	t.Run("command", func(t *testing.T) {
		dir := t.TempDir()
		c := upflab(t, []string{"vm", "--kernel", kernel, "--write", dir, "--", "sh", "-c",
			fmt.Sprintf("trap 'echo asked; exit 7' INT; uname -r; : > %s/begun; sleep 600 & wait", dir)})
		c.says("booted")
		if !wait.Until(5*time.Minute, 100*time.Millisecond, func() bool { _, err := os.Stat(filepath.Join(dir, "begun")); return err == nil }) {
			t.Fatalf("the command has not begun:\n%s", c.said())
		}
		c.signal(syscall.SIGINT)
		if got := c.status(time.Minute); got != 7 {
			t.Errorf("exit status %d, want 7\n%s", got, c.said())
		}
		if got := c.stdout.String(); !strings.HasSuffix(got, "asked\n") || strings.Count(got, "\n") != 2 {
			t.Errorf("it wrote %q, want the kernel's release and that it was asked to end", got)
		}
	})
}

// guestsOf are the emulators that write to a folder.
func guestsOf(dir string) (list []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		if b, _ := os.ReadFile(path); strings.Contains(string(b), "path="+dir+",") {
			list = append(list, path)
		}
	}
	return list
}
