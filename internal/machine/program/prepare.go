package program

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/socket/threads"
)

// prepare readies the calling thread, which the program inherits.
func (s *Spec) prepare() error {
	if err := s.Namespace.Enter(); err != nil {
		return err
	}
	if err := netdev.PrivateMounts(); err != nil {
		return err
	}
	// /sys shows the devices of the namespace, as below `ip netns exec`.
	if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil && err != unix.EBUSY && err != unix.EPERM {
		return fmt.Errorf("mount sysfs: %w", err)
	}
	if s.Resolver.IsValid() {
		if err := showResolver(s.Resolver); err != nil {
			return fmt.Errorf("show the program a resolver: %w", err)
		}
	}
	if len(s.CPUs) > 0 {
		if err := threads.Pin(0, s.CPUs...); err != nil {
			return err
		}
	}
	if s.Privileged {
		return nil
	}
	if err := protectMachine(); err != nil {
		return err
	}
	return boundCapabilities()
}

// protectMachine makes the kernel's settings read-only in the thread's own mounts: root without
// capabilities may write most of them all the same, and change their modes. Of /proc only the
// folders of processes stay as they are: browsers write to those of theirs.
func protectMachine() error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return fmt.Errorf("protect /proc from the program: %w", err)
	}
	paths := []string{"/sys"}
	for _, e := range entries {
		if _, notProcess := strconv.Atoi(e.Name()); notProcess != nil && e.Type()&fs.ModeSymlink == 0 { // self is a link
			paths = append(paths, filepath.Join("/proc", e.Name()))
		}
	}
	for _, path := range paths {
		if err := onlyRead(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("protect %s from the program: %w", path, err)
		}
	}
	return nil
}

// onlyRead mounts a file or folder over itself, so that it can only be read. What else restricts
// its mount stays: in a user namespace the kernel insists on that.
func onlyRead(path string) error {
	if err := unix.Mount(path, path, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return err
	}
	kept := uintptr(st.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC) // ST_... have the same bits
	return unix.Mount("", path, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|kept, "")
}

// showResolver puts a file over /etc/resolv.conf, in the thread's own mounts. The file is
// in a file system that only this mount holds.
func showResolver(server netip.Addr) error {
	target, err := filepath.EvalSymlinks("/etc/resolv.conf")
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: an empty /etc/resolv.conf will do", err)
	}
	if err != nil {
		return err
	}
	dir := os.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=755"); err != nil {
		return fmt.Errorf("mount over %s: %w", dir, err)
	}
	file := filepath.Join(dir, "resolv.conf")
	err = os.WriteFile(file, fmt.Appendf(nil, "nameserver %s\noptions timeout:2 attempts:2\n", server), 0o644)
	if err == nil {
		err = unix.Mount(file, target, "", unix.MS_BIND, "")
	}
	return errors.Join(err, unix.Unmount(dir, unix.MNT_DETACH))
}
