package vm

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/scenario"
)

// Kernel is one to boot, with its modules.
type Kernel struct {
	Image   string // the file, a bzImage
	Modules string // the folder of its release, which has modules.dep
	Release string // as `uname -r` in it prints it
}

// FindKernel finds a kernel by what a user calls it: scenario.HostKernel, a name in the folder cache, the path of an image, or
// of a folder with the image `vmlinuz` and its `lib/modules`.
func FindKernel(name, cache string) (Kernel, error) {
	switch {
	case name == scenario.HostKernel:
		release := runningRelease()
		if image := filepath.Join("/lib/modules", release, "vmlinuz"); readable(image) { // where distributions have no /boot
			return withModules(image, "/lib/modules", hint(cache))
		}
		return withModules(filepath.Join("/boot", "vmlinuz-"+release), "/lib/modules", hint(cache))
	case !strings.ContainsRune(name, filepath.Separator):
		if _, err := os.Stat(filepath.Join(cache, name)); err != nil {
			return Kernel{}, fmt.Errorf("there is no kernel %q: %s", name, hint(cache))
		}
		name = filepath.Join(cache, name)
	}
	name, err := filepath.Abs(name)
	if err != nil {
		return Kernel{}, err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return withModules(filepath.Join(name, "vmlinuz"), filepath.Join(name, "lib/modules"), hint(cache))
	}
	dir := filepath.Dir(name)
	for _, modules := range []string{filepath.Join(dir, "lib/modules"), filepath.Join(dir, "../lib/modules")} {
		if k, err := withModules(name, modules, ""); err == nil {
			return k, nil
		}
	}
	return withModules(name, "/lib/modules", hint(cache))
}

func readable(path string) bool { return unix.Access(path, unix.R_OK) == nil }

// CachedKernels are the names in a folder of kernels; none, if it does not exist.
func CachedKernels(cache string) (names []string) {
	found, _ := filepath.Glob(filepath.Join(cache, "*", "vmlinuz"))
	for _, path := range found {
		names = append(names, filepath.Base(filepath.Dir(path)))
	}
	return names
}

// Cache is the folder of this user's kernels, which `make kernels` fills.
func Cache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "upflab", "kernels")
}

func hint(cache string) string {
	there := "none in " + cache
	if names := CachedKernels(cache); len(names) > 0 {
		there = strings.Join(names, ", ") + " in " + cache
	}
	return "vm.kernel is host, the path of a vmlinuz whose modules are in lib/modules next to it or in /lib/modules, or a name: " + there
}

// withModules reads which kernel an image is, and looks for its modules.
func withModules(image, modules, hint string) (k Kernel, err error) {
	k.Image = image
	if k.Release, err = releaseOf(image); err != nil {
		if hint != "" && errors.Is(err, fs.ErrNotExist) {
			return k, fmt.Errorf("read the kernel of the guest: %w; %s", err, hint)
		}
		return k, fmt.Errorf("read the kernel of the guest: %w", err)
	}
	k.Modules = filepath.Join(modules, k.Release)
	if _, err := os.Stat(filepath.Join(k.Modules, "modules.dep")); err != nil {
		return k, fmt.Errorf("the kernel %s has no modules in %s (modules.dep): install them there, or make the list with "+
			"`depmod -b FOLDER %s`", image, k.Modules, k.Release)
	}
	return k, nil
}

// The header of an x86 kernel's image (Documentation/arch/x86/boot.rst): its magic, and where its version is,
// counted from the end of the boot sector.
const (
	bootMagicAt  = 0x202
	bootMagic    = "HdrS"
	bootVersion  = 0x20e
	bootSector   = 0x200
	longestImage = 1 << 16 // of what has the version
)

// releaseOf reads the release of a kernel's image.
func releaseOf(image string) (string, error) {
	f, err := os.Open(image)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, longestImage))
	if err != nil {
		return "", err
	}
	notOne := fmt.Errorf("%s is no image of an x86 kernel (bzImage)", image)
	if len(b) < bootVersion+2 || string(b[bootMagicAt:bootMagicAt+len(bootMagic)]) != bootMagic {
		return "", notOne
	}
	at := bootSector + int(b[bootVersion]) + int(b[bootVersion+1])<<8
	if at >= len(b) {
		return "", notOne
	}
	text, _, ended := strings.Cut(string(b[at:]), "\x00")
	words := strings.Fields(text)
	if !ended || len(words) == 0 || strings.ContainsRune(words[0], filepath.Separator) || slices.Contains(words[:1], "..") {
		return "", notOne
	}
	return words[0], nil
}

func runningRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}
