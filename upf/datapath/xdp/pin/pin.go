// Package pin keeps what outlives the process of an XDP datapath, in a folder that is a BPF file system.
package pin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/session"
)

// Folder has the links of the programs, which keep programs and maps, and the maps that the next process goes on
// counting in. Without a path nothing outlives the process.
type Folder struct {
	path   string
	shared []string  // the maps that programs of the next process go on counting in
	Names  *ebpf.Map // whose the usages are; nil without a path
}

// Usage says whose a usage is, in the map of names.
type Usage struct {
	SEID uint64
	URR  session.URRKey
}

// Used reports whether anything is pinned.
func (f *Folder) Used() bool { return f.path != "" }

// Open mounts the file system where it is not mounted. shared are the maps that programs of different processes have in common.
func Open(dir string, shared ...string) (f Folder, err error) {
	if dir == "" {
		return f, nil
	}
	f.path, f.shared = dir, shared
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return f, fmt.Errorf("xdp: make the folder of pinned programs: %w", err)
	}
	if isBPF(dir) {
		return f, nil
	}
	if err := unix.Mount("upflab", dir, "bpf", 0, "mode=0700"); err != nil {
		return f, fmt.Errorf("xdp: mount a BPF file system at %s: %w: run as root, or mount it before: mount -t bpf bpf %s", dir, err, dir)
	}
	return f, nil
}

func isBPF(dir string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(dir, &fs) == nil && fs.Type == unix.BPF_FS_MAGIC
}

// IsPrivate reports whether this process has mounts of its own, as below `ip netns exec`:
// what is pinned there goes with it, unless the file system was mounted before.
func IsPrivate(dir string) bool {
	own, err1 := os.Readlink("/proc/self/ns/mnt")
	first, err2 := os.Readlink("/proc/1/ns/mnt")
	return err1 == nil && err2 == nil && own != first && !isBPF(dir)
}

// Clear removes what a process with the folder pinned: packets are not moved any more.
func Clear(dir string) error {
	if dir == "" || !isBPF(dir) {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	for _, one := range files {
		if filepath.Ext(one) != ".debug" { // the kernel's own
			err = errors.Join(err, unpin(one))
		}
	}
	if err == nil {
		err = unix.Unmount(dir, 0)
	}
	if err != nil {
		return fmt.Errorf("xdp: remove the pinned programs: %w", err)
	}
	return nil
}

// Clear removes what is pinned: packets are not moved any more.
func (f *Folder) Clear() error { return Clear(f.path) }

// Share has the programs count in the maps that an earlier process pinned.
func (f *Folder) Share(spec *ebpf.CollectionSpec) ebpf.CollectionOptions {
	if f.path == "" {
		return ebpf.CollectionOptions{}
	}
	for _, name := range f.shared {
		spec.Maps[name].Pinning = ebpf.PinByName
	}
	return ebpf.CollectionOptions{Maps: ebpf.MapOptions{PinPath: f.path}}
}

// namesMap is the name of the map of names.
const namesMap = "usage_names"

// OpenNames opens the names of usages, of which there are as many as usages.
func (f *Folder) OpenNames(most uint32) (err error) {
	if f.path == "" {
		return nil
	}
	f.Names, err = ebpf.NewMapWithOptions(&ebpf.MapSpec{
		Name: namesMap, Type: ebpf.Hash, KeySize: 4, ValueSize: 16, MaxEntries: most, Flags: unix.BPF_F_NO_PREALLOC, Pinning: ebpf.PinByName,
	}, ebpf.MapOptions{PinPath: f.path})
	if err != nil {
		return fmt.Errorf("xdp: open the names of usages: %w", err)
	}
	return nil
}

// Forget drops the pinned maps: they do not fit these programs.
func (f *Folder) Forget() {
	for _, name := range append([]string{namesMap}, f.shared...) {
		os.Remove(filepath.Join(f.path, name))
	}
}

// Pinned is a link of an earlier process.
type Pinned struct {
	path string
	Link link.Link
}

// LinkPath is where the link of a port in one of the modes is pinned. Another network namespace may have a port of
// the same index.
func (f *Folder) LinkPath(index int, mode string) string {
	var home unix.Stat_t
	_ = unix.Stat("/proc/thread-self/ns/net", &home) // without it all ports are of one namespace, 0
	return filepath.Join(f.path, fmt.Sprintf("link-%d-%d-%s", home.Ino, index, mode))
}

// Links are those of ports, by their index, in one of the modes, all of them or none. One whose device is gone,
// as when a container starts again with its folder, is none: another device may have its index.
func (f *Folder) Links(ports []int, modes ...string) (found []Pinned, mode string) {
	for _, mode = range modes {
		found = nil
		for _, one := range ports {
			path := f.LinkPath(one, mode)
			l, err := link.LoadPinnedLink(path, nil)
			if err != nil {
				continue
			}
			if found = append(found, Pinned{path, l}); severed(l) {
				found = found[:len(found)-1]
				l.Close()
			}
		}
		if len(found) == len(ports) {
			return found, mode
		}
		closePinned(found)
	}
	return nil, ""
}

// severed is whether the device of a link is gone.
func severed(l link.Link) bool {
	info, err := l.Info()
	return err == nil && info.XDP() != nil && info.XDP().Ifindex == 0
}

func closePinned(list []Pinned) {
	for _, l := range list {
		l.Link.Close()
	}
}

// DetachOthers removes links that are none of these.
func (f *Folder) DetachOthers(kept []Pinned) error {
	files, err := filepath.Glob(filepath.Join(f.path, "link-*"))
	for _, one := range files {
		keep := false
		for _, k := range kept {
			keep = keep || k.path == one
		}
		if !keep {
			err = errors.Join(err, unpin(one))
		}
	}
	return err
}

// unpin removes what is pinned; a link is detached before, for the kernel takes its time
// else.
func unpin(path string) error {
	if l, err := link.LoadPinnedLink(path, nil); err == nil {
		_ = l.Detach() // of a device that is gone
		l.Close()
	}
	return os.Remove(path)
}
