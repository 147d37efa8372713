package vm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

func TestArgs(t *testing.T) {
	m := Machine{Kernel: Kernel{Image: "/k/vmlinuz", Modules: "/k/lib/modules/6.1", Release: "6.1"}, Accel: TCG, CPUs: 2, MemoryMiB: 1024,
		NIC: scenario.NICVirtioNet, Writable: []string{"/out,put"}}
	got := strings.Join(m.args(), " ")
	for _, want := range []string{
		"-M q35 -accel tcg,thread=multi -cpu max -smp 2 -m 1024 -nodefaults -no-user-config -no-reboot",
		"-chardev file,id=console,path=/proc/self/fd/4 -serial chardev:console -chardev stdio,id=line,signal=off -serial chardev:line",
		"-virtfs local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap",
		"-virtfs local,path=/k/lib/modules/6.1,mount_tag=modules,security_model=none,readonly=on",
		"-virtfs local,path=/out,,put,mount_tag=writable0,security_model=none",
		"-netdev hubport,id=port0,hubid=1 -device pcie-root-port,id=bus0,chassis=1 -device virtio-net-pci,bus=bus0,netdev=port0,mac=52:54:00:75:70:01",
		"-netdev hubport,id=port1,hubid=1 -device", "-netdev hubport,id=port2,hubid=2 -device", "-netdev hubport,id=port3,hubid=2 -device",
		"-kernel /k/vmlinuz -initrd /proc/self/fd/3 -append console=ttyS0 panic=-1 quiet -- guest",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	m.Accel, m.NIC = KVM, scenario.NICVeth
	if got := strings.Join(m.args(), " "); !strings.Contains(got, "-accel kvm -cpu") || strings.Contains(got, "-netdev") {
		t.Errorf("with KVM and no NICs:\n%s", got)
	}
	m.Accel, m.Single = TCG, true
	if got := strings.Join(m.args(), " "); !strings.Contains(got, "-accel tcg,thread=single ") {
		t.Errorf("by one thread:\n%s", got)
	}
	m.Accel, m.Single, m.CPUs = KVM, false, 1
	m = m.Counting()
	for _, want := range []string{"-accel tcg,thread=single -icount shift=0,sleep=off -cpu max -smp 1 ", "quiet noautogroup -- guest"} {
		if got := strings.Join(m.args(), " "); !strings.Contains(got, want) {
			t.Errorf("that counts: no %q in\n%s", want, got)
		}
	}
}

// The guest has folders of its own, below which it sees no file of the host but in what it writes to.
func TestSees(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/run", link); err != nil {
		t.Fatal(err)
	}
	m := Machine{Writable: []string{"/run/out"}}
	for path, seen := range map[string]bool{"/home/x": true, "/": true, "/runner": true, "/run/out": true, "/run/out/x": true,
		"/run": false, "/run/user/0": false, "/dev/shm/x": false, link: false} {
		if err := m.Sees(path); (err == nil) != seen {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestCheck(t *testing.T) {
	k, err := FindKernel("6.1", kernels(t))
	if err != nil {
		t.Fatal(err)
	}
	q := &QEMU{Version: "7.2.22", devices: map[string]bool{"virtio-net-pci": true, "e1000e": true}}
	for nic, says := range map[scenario.NIC]string{
		scenario.NICVeth:      "",
		scenario.NICIGB:       "QEMU 7.2.22 emulates no igb: vm.nic can be veth, virtio-net, e1000e here",
		scenario.NICVirtioNet: "the kernel 6.1.0-50-amd64 has no driver virtio_net, which vm.nic=virtio-net needs",
	} {
		err := q.Check(Machine{Kernel: k, NIC: nic})
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", nic, err, says)
		}
	}
	if err := q.Check(Machine{Kernel: k, MemoryMiB: 1 << 30}); err == nil || !strings.Contains(err.Error(), "vm.memory is 1073741824 MiB, and this machine has") {
		t.Errorf("too much memory: %v", err)
	}
}

// With QEMU 7.2 and several threads, guests panicked when their kernel patched code that another CPU ran.
func TestThreads(t *testing.T) {
	for version, want := range map[string]bool{"7.2.22": false, "8.0.0": true, "10.0.13": true, "": false} {
		if q := (&QEMU{Version: version}); q.Threads() != want {
			t.Errorf("%q: %v", version, q.Threads())
		}
	}
}
