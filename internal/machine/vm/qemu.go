package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/scenario"
)

// qemuProgram emulates the only kind of machine that guests have.
const qemuProgram = "qemu-system-x86_64"

// QEMU is the one that is installed.
type QEMU struct {
	Path    string
	Version string          // "7.2.22"
	devices map[string]bool // that it emulates
}

var (
	qemuVersion = regexp.MustCompile(`version ([0-9.]+)`)
	qemuDevice  = regexp.MustCompile(`(?m)^name "([^"]+)"(?:.*alias "([^"]+)")?`)
)

// FindQEMU finds QEMU, and what it can emulate.
func FindQEMU(ctx context.Context) (*QEMU, error) {
	if runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("guests are of amd64, and this machine is %s", runtime.GOARCH)
	}
	path, err := exec.LookPath(qemuProgram)
	if err != nil {
		return nil, fmt.Errorf("%s is not in PATH: install it (Debian, Ubuntu: apt-get install qemu-system-x86)", qemuProgram)
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s for its version: %w", path, err)
	}
	devices, err := exec.CommandContext(ctx, path, "-device", "help").Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s for its devices: %w", path, err)
	}
	q := &QEMU{Path: path, devices: map[string]bool{}}
	if m := qemuVersion.FindSubmatch(version); m != nil {
		q.Version = string(m[1])
	}
	for _, m := range qemuDevice.FindAllSubmatch(devices, -1) {
		q.devices[string(m[1])], q.devices[string(m[2])] = true, true
	}
	if !q.devices["virtio-9p-pci"] {
		return nil, fmt.Errorf("%s %s has no virtio-9p-pci, by which a guest sees this machine's files: install a QEMU that has it", path, q.Version)
	}
	return q, nil
}

// patchesSafely is the first major version whose emulation by several threads runs no code while another CPU patches it.
const patchesSafely = 8

// Threads reports whether each CPU of an emulated guest may have a thread of its own.
func (q *QEMU) Threads() bool {
	major, _, _ := strings.Cut(q.Version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= patchesSafely
}

// NICs are the values of vm.nic that this QEMU can emulate.
func (q *QEMU) NICs() []scenario.NIC {
	list := []scenario.NIC{scenario.NICVeth}
	for _, m := range models() {
		if q.devices[m.device] {
			list = append(list, m.nic)
		}
	}
	return list
}

// Check refuses a machine that this QEMU cannot be, for which this one is too small, or whose kernel lacks the driver of
// its NICs.
func (q *QEMU) Check(m Machine) error {
	var here unix.Sysinfo_t
	if err := unix.Sysinfo(&here); err != nil {
		return fmt.Errorf("read this machine's memory: %w", err)
	}
	if has := here.Totalram * uint64(here.Unit) >> 20; uint64(m.MemoryMiB) > has {
		return fmt.Errorf("vm.memory is %d MiB, and this machine has %d MiB: lower it", m.MemoryMiB, has)
	}
	if wanted, emulated := modelOf(m.NIC); emulated && !q.devices[wanted.device] {
		var has []string
		for _, nic := range q.NICs() {
			has = append(has, string(nic))
		}
		return fmt.Errorf("QEMU %s emulates no %s: vm.nic can be %s here (QEMU has igb since 8.0)", q.Version, m.NIC, strings.Join(has, ", "))
	}
	if wanted, _ := modelOf(m.NIC); wanted.driver != "" && !m.Kernel.Has(wanted.driver) {
		return fmt.Errorf("the kernel %s has no driver %s, which vm.nic=%s needs", m.Kernel.Release, wanted.driver, m.NIC)
	}
	return nil
}

// Accelerator is what runs a guest's code.
type Accelerator string

// The accelerators. By TCG each instruction is emulated, and no time in the guest means anything.
const (
	KVM Accelerator = "kvm"
	TCG Accelerator = "tcg"
)

// The boot sector of a machine that ends itself: it writes 16 to the port of isa-debug-exit, which makes QEMU's status
// 2 * 16 + 1.
const (
	endingSector = "\xb0\x10\xe6\xf4\xf4"
	endingStatus = 33
	endingWithin = 5 * time.Second
)

// Accelerator tries whether KVM runs a guest here, which not each /dev/kvm does. why says why it does not.
func (q *QEMU) Accelerator(ctx context.Context) (a Accelerator, why string) {
	if err := unix.Access("/dev/kvm", unix.R_OK|unix.W_OK); err != nil {
		return TCG, fmt.Sprintf("/dev/kvm: %v", err)
	}
	disk, err := memory("sector", func(f *os.File) error {
		sector := make([]byte, 512)
		copy(sector, endingSector)
		sector[510], sector[511] = 0x55, 0xaa
		_, err := f.Write(sector)
		return err
	})
	if err != nil {
		return TCG, err.Error()
	}
	defer disk.Close()
	ctx, cancel := context.WithTimeout(ctx, endingWithin)
	defer cancel()
	c := exec.CommandContext(ctx, q.Path, "-M", "q35", "-accel", "kvm", "-cpu", "max", "-nodefaults", "-display", "none", "-no-reboot",
		"-device", "isa-debug-exit,iobase=0xf4", "-drive", "file=/proc/self/fd/3,format=raw")
	c.ExtraFiles = []*os.File{disk}
	c.SysProcAttr = &unix.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	child, err := host.LaunchApart(c)
	if err != nil {
		return TCG, fmt.Sprintf("start %s: %v", q.Path, err)
	}
	var exit *exec.ExitError
	if errors.As(child.Wait(), &exit) && exit.ExitCode() == endingStatus {
		return KVM, ""
	}
	return TCG, "/dev/kvm exists, and a guest does not run by it"
}

// memory makes a file that exists in memory alone.
func memory(name string, write func(*os.File) error) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if err := write(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("write %s into memory: %w", name, err)
	}
	return f, nil
}
