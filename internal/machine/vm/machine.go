package vm

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/machine/vm/inside"
	"github.com/upflab/upflab/internal/scenario"
)

// Machine is a guest's.
type Machine struct {
	Kernel Kernel
	Accel  Accelerator
	CPUs   int
	// MemoryMiB has the guest's files too, as far as it writes them outside of its writable folders.
	MemoryMiB int
	NIC       scenario.NIC
	Writable  []string // folders of the host
	// Single emulates all CPUs by one thread: see QEMU.Threads.
	Single bool
	// Counts makes the clocks of an emulated machine with one CPU count instructions: a tick each. While the CPU sleeps,
	// they jump to when it wakes.
	Counts bool
}

// Counting is the machine emulated, with clocks that count instructions.
func (m Machine) Counting() Machine {
	m.Accel, m.Single, m.Counts = TCG, true, true
	return m
}

// Sees refuses a path that the guest does not see: it has file systems of its own in the place of some folders.
func (m Machine) Sees(path string) error {
	real, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if resolved, err := filepath.EvalSymlinks(real); err == nil {
		real = resolved
	}
	if slices.ContainsFunc(m.Writable, func(folder string) bool { return below(real, folder) }) {
		return nil
	}
	for _, folder := range inside.Own() {
		if below(real, folder) {
			return fmt.Errorf("%s is not seen in a virtual machine, where %s is another folder: take a place elsewhere", path, folder)
		}
	}
	return nil
}

// below reports whether a path is a folder, or something in it.
func below(path, folder string) bool {
	inFolder, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(inFolder)
}

// model is an emulated NIC: what QEMU calls it, and the module of its driver.
type model struct {
	nic            scenario.NIC
	device, driver string
}

func models() []model {
	return []model{{scenario.NICVirtioNet, "virtio-net-pci", "virtio_net"}, {scenario.NICIGB, "igb", "igb"},
		{scenario.NICE1000E, "e1000e", "e1000e"}, {scenario.NICVMXNet3, "vmxnet3", "vmxnet3"}}
}

// modelOf finds the model of a guest's NICs; emulated is false where it has none.
func modelOf(n scenario.NIC) (found model, emulated bool) {
	for _, m := range models() {
		if m.nic == n {
			return m, true
		}
	}
	return model{}, false
}

// The devices of a guest with NICs, by their names there. Those of a link are connected.
const (
	UPFN3 = "upf-n3"
	GNBN3 = "gnb-n3"
	UPFN6 = "upf-n6"
	DNN6  = "dn-n6"
)

// ports are the NICs of a guest, each with the number of the hub that connects it with its other end.
func ports(n scenario.NIC) (list []port) {
	if _, emulated := modelOf(n); !emulated {
		return nil
	}
	for i, name := range []string{UPFN3, GNBN3, UPFN6, DNN6} {
		list = append(list, port{inside.NIC{MAC: fmt.Sprintf("52:54:00:75:70:%02x", i+1), Name: name}, i/2 + 1})
	}
	return list
}

type port struct {
	inside.NIC
	hub int
}

// named are the ports as the guest finds them.
func named(n scenario.NIC) (list []inside.NIC) {
	for _, p := range ports(n) {
		list = append(list, p.NIC)
	}
	return list
}

// The files that QEMU inherits, by their numbers.
const (
	initramfsFile = 3
	consoleFile   = 4
)

// args are QEMU's. The first serial line is the kernel's console, the second one leads to package inside.
func (m Machine) args() []string {
	accel := string(m.Accel)
	if m.Accel == TCG {
		accel += ",thread=" + map[bool]string{true: "single", false: "multi"}[m.Single]
	}
	args := []string{"-M", "q35", "-accel", accel}
	if m.Counts {
		args = append(args, "-icount", "shift=0,sleep=off")
	}
	args = append(args, "-cpu", "max", "-smp", strconv.Itoa(m.CPUs), "-m", strconv.Itoa(m.MemoryMiB),
		"-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
		"-chardev", fmt.Sprintf("file,id=console,path=/proc/self/fd/%d", consoleFile), "-serial", "chardev:console",
		"-chardev", "stdio,id=line,signal=off", "-serial", "chardev:line",
		"-virtfs", share("/", inside.RootTag)+",readonly=on,multidevs=remap",
		"-virtfs", share(m.Kernel.Modules, inside.ModulesTag)+",readonly=on")
	for i, folder := range m.Writable {
		args = append(args, "-virtfs", share(folder, inside.WritableTag+strconv.Itoa(i)))
	}
	model, _ := modelOf(m.NIC)
	for i, p := range ports(m.NIC) {
		// Each NIC has a bus, for the virtual functions of several igb would collide on one.
		args = append(args, "-netdev", fmt.Sprintf("hubport,id=port%d,hubid=%d", i, p.hub),
			"-device", fmt.Sprintf("pcie-root-port,id=bus%d,chassis=%d", i, i+1),
			"-device", fmt.Sprintf("%s,bus=bus%d,netdev=port%d,mac=%s", model.device, i, i, p.MAC))
	}
	return append(args, "-kernel", m.Kernel.Image, "-initrd", fmt.Sprintf("/proc/self/fd/%d", initramfsFile),
		"-append", "console=ttyS0 panic=-1 quiet "+m.scheduling()+"-- "+inside.Command)
}

// scheduling is what the kernel of a machine that counts is told: that threads compete one by one, and not by session
// (setsid), so that one with the policy SCHED_IDLE goes behind all others.
func (m Machine) scheduling() string {
	if m.Counts {
		return "noautogroup "
	}
	return ""
}

// share shows a folder to the guest. A comma in a path is doubled for QEMU.
func share(path, tag string) string {
	return fmt.Sprintf("local,path=%s,mount_tag=%s,security_model=none", strings.ReplaceAll(path, ",", ",,"), tag)
}
