package inside

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// mount is a file system of the guest.
type mount struct {
	kind, source, target, options string
	flags                         uintptr
	optional                      bool // a kernel may be built without
}

func (m mount) make() error {
	if err := os.MkdirAll(m.target, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("mount %s at %s: %w", m.kind, m.target, err)
	}
	if err := unix.Mount(m.source, m.target, m.kind, m.flags, m.options); err != nil && !m.optional {
		return fmt.Errorf("mount %s at %s: %w", m.kind, m.target, err)
	}
	return nil
}

func mountAll(list []mount) error {
	for _, m := range list {
		if err := m.make(); err != nil {
			return err
		}
	}
	return nil
}

// shared is a folder of the host.
func shared(tag, target, cache string, flags uintptr) mount {
	return mount{kind: "9p", source: tag, target: target, flags: flags, options: "trans=virtio,version=9p2000.L,msize=262144,cache=" + cache}
}

// Where the initramfs has the parts of the guest's root.
const (
	lower   = "/lower"
	layer   = "/layer"
	newRoot = "/root"
)

// runFolder has this program, in the guest's root.
const runFolder = "/run"

// enterRoot makes the guest's root, which is the host's below a layer of memory, and goes there. This program, which
// the initramfs has in memory, comes with it.
func enterRoot(o *Order) error {
	if err := mountAll([]mount{
		shared(RootTag, lower, "loose", unix.MS_RDONLY),
		{kind: "tmpfs", source: "layer", target: layer},
	}); err != nil {
		return err
	}
	for _, folder := range []string{layer + "/files", layer + "/work"} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
	}
	if err := mountAll([]mount{
		{kind: "overlay", source: "overlay", target: newRoot, options: "lowerdir=" + lower + ",upperdir=" + layer + "/files,workdir=" + layer + "/work"},
		{kind: "tmpfs", source: "run", target: newRoot + runFolder},
	}); err != nil {
		return err
	}
	if err := bindProgram(newRoot + Program); err != nil {
		return err
	}
	return errors.Join(unix.Chdir(newRoot), unix.Mount(".", "/", "", unix.MS_MOVE, ""), unix.Chroot("."), unix.Chdir("/"))
}

// bindProgram shows this program's file in the new root.
func bindProgram(at string) error {
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(at, nil, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("/init", at, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("show upflab at %s: %w", at, err)
	}
	return nil
}

// Own are the folders whose files in the guest are its own, and not the host's.
func Own() []string {
	list := []string{runFolder}
	for _, m := range system() {
		list = append(list, m.target)
	}
	return list
}

// system are the file systems of a started system.
func system() []mount {
	return []mount{
		{kind: "proc", source: "proc", target: "/proc"},
		{kind: "sysfs", source: "sysfs", target: "/sys"},
		{kind: "devtmpfs", source: "dev", target: "/dev"},
		{kind: "devpts", source: "devpts", target: "/dev/pts"},
		{kind: "tmpfs", source: "shm", target: "/dev/shm"},
		{kind: "cgroup2", source: "cgroup", target: "/sys/fs/cgroup"},
		{kind: "bpf", source: "bpf", target: "/sys/fs/bpf"},
		{kind: "tracefs", source: "tracefs", target: "/sys/kernel/tracing", optional: true},
		{kind: "debugfs", source: "debugfs", target: "/sys/kernel/debug", optional: true},
	}
}

// furnish mounts what a started system has, the kernel's modules and what is written through.
func furnish(o *Order) error {
	list := append(system(), shared(ModulesTag, "/lib/modules/"+o.Release, "loose", unix.MS_RDONLY))
	for i, folder := range o.Writable {
		list = append(list, shared(WritableTag+strconv.Itoa(i), folder, "none", 0))
	}
	if err := mountAll(list); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(o.Host)); err != nil {
		return fmt.Errorf("call the guest %q: %w", o.Host, err)
	}
	return tun()
}

// tun makes the device that a system's start makes; its module comes when it is opened.
func tun() error {
	const at = "/dev/net/tun"
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if err := unix.Mknod(at, unix.S_IFCHR|0o666, int(unix.Mkdev(10, 200))); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("make %s: %w", at, err)
	}
	return nil
}
