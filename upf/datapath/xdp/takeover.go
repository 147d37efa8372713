package xdp

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

// pins are what outlives the process, in a folder that is a BPF file system: the links of
// the programs, which keep programs and maps, and the maps that the next process goes on
// counting in.
type pins struct {
	dir   string // "": nothing outlives the process
	names *ebpf.Map
}

// usageName says whose a usage is, in the map of names.
type usageName struct {
	SEID uint64
	URR  session.URRKey
}

// openPins mounts the file system where it is not mounted.
func openPins(dir string) (p pins, err error) {
	if dir == "" {
		return p, nil
	}
	p.dir = dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return p, fmt.Errorf("xdp: make the folder of pinned programs: %w", err)
	}
	if isBPF(dir) {
		return p, nil
	}
	if err := unix.Mount("upflab", dir, "bpf", 0, "mode=0700"); err != nil {
		return p, fmt.Errorf("xdp: mount a BPF file system at %s: %w: run as root, or mount it before: mount -t bpf bpf %s", dir, err, dir)
	}
	return p, nil
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
	for _, f := range files {
		if filepath.Ext(f) != ".debug" { // the kernel's own
			err = errors.Join(err, unpin(f))
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

// share has the programs count in the maps that an earlier process pinned.
func (p *pins) share(spec *ebpf.CollectionSpec) ebpf.CollectionOptions {
	if p.dir == "" {
		return ebpf.CollectionOptions{}
	}
	for _, name := range []string{upfMapUsages, upfMapTotals} {
		spec.Maps[name].Pinning = ebpf.PinByName
	}
	return ebpf.CollectionOptions{Maps: ebpf.MapOptions{PinPath: p.dir}}
}

// openNames opens the names of usages, of which there are as many as usages.
func (p *pins) openNames(most uint32) (err error) {
	if p.dir == "" {
		return nil
	}
	p.names, err = ebpf.NewMapWithOptions(&ebpf.MapSpec{
		Name: "usage_names", Type: ebpf.Hash, KeySize: 4, ValueSize: 16, MaxEntries: most, Flags: unix.BPF_F_NO_PREALLOC, Pinning: ebpf.PinByName,
	}, ebpf.MapOptions{PinPath: p.dir})
	if err != nil {
		return fmt.Errorf("xdp: open the names of usages: %w", err)
	}
	return nil
}

// forget drops the pinned maps: they do not fit these programs.
func (p *pins) forget() {
	for _, name := range []string{upfMapUsages, upfMapTotals, "usage_names"} {
		os.Remove(filepath.Join(p.dir, name))
	}
}

// pinned is a link of an earlier process.
type pinned struct {
	path string
	link link.Link
}

// linkPath is where the link of a port is pinned. Another network namespace may have a port of
// the same index.
func (p *pins) linkPath(index int, mode Mode) string {
	var home unix.Stat_t
	_ = unix.Stat("/proc/thread-self/ns/net", &home) // without it all ports are of one namespace, 0
	return filepath.Join(p.dir, fmt.Sprintf("link-%d-%d-%s", home.Ino, index, mode))
}

// links are those of the ports in one of the modes, all of them or none. One whose device is gone,
// as when a container starts again with its folder, is none: another device may have its index.
func (p *pins) links(ports []port, modes ...Mode) (found []pinned, mode Mode) {
	for _, mode = range modes {
		found = nil
		for _, one := range ports {
			path := p.linkPath(one.index, mode)
			l, err := link.LoadPinnedLink(path, nil)
			if err != nil {
				continue
			}
			if found = append(found, pinned{path, l}); severed(l) {
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

func closePinned(list []pinned) {
	for _, l := range list {
		l.link.Close()
	}
}

// detachOthers removes links that are none of these.
func (p *pins) detachOthers(kept []pinned) error {
	files, err := filepath.Glob(filepath.Join(p.dir, "link-*"))
	for _, f := range files {
		keep := false
		for _, k := range kept {
			keep = keep || k.path == f
		}
		if !keep {
			err = errors.Join(err, unpin(f))
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
