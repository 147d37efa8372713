package vm

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is a kernel module as the kernel takes it.
type module struct {
	name string // "9pnet_virtio"
	data []byte
}

// dependencies are the files of a kernel's modules, below its folder, by name: first the module, then what it
// needs, of which the last is to be loaded first (modules.dep(5)). Of one that is part of the kernel there are none.
type dependencies map[string][]string

func (k Kernel) dependencies() (dependencies, error) {
	d := dependencies{}
	for _, file := range []string{"modules.builtin", "modules.dep"} {
		b, err := os.ReadFile(filepath.Join(k.Modules, file))
		if err != nil {
			return nil, fmt.Errorf("read the modules of kernel %s: %w", k.Release, err)
		}
		for line := range strings.Lines(string(b)) {
			path, needs, listed := strings.Cut(strings.TrimSpace(line), ":")
			if !listed {
				d[moduleName(path)] = nil
				continue
			}
			d[moduleName(path)] = append([]string{path}, strings.Fields(needs)...)
		}
	}
	return d, nil
}

// moduleName is what the kernel calls the module of a file.
func moduleName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".ko")
	return strings.ReplaceAll(name, "-", "_")
}

// order lists the files to load for these modules.
func (d dependencies) order(names ...string) (paths []string, err error) {
	loaded := map[string]bool{}
	for _, name := range names {
		files, known := d[name]
		if !known {
			return nil, fmt.Errorf("no module %s", name)
		}
		for i := len(files) - 1; i >= 0; i-- {
			if !loaded[files[i]] {
				loaded[files[i]] = true
				paths = append(paths, files[i])
			}
		}
	}
	return paths, nil
}

// early are the modules that a guest needs for its root.
func (k Kernel) early() (list []module, err error) {
	d, err := k.dependencies()
	if err != nil {
		return nil, err
	}
	paths, err := d.order("virtio_pci", "9pnet_virtio", "9p", "overlay")
	if err != nil {
		return nil, fmt.Errorf("the kernel %s cannot be a guest's: it has %w, by which it would see this machine's files", k.Release, err)
	}
	for _, path := range paths {
		data, err := decompressed(filepath.Join(k.Modules, path))
		if err != nil {
			return nil, fmt.Errorf("read the module %s of kernel %s: %w", moduleName(path), k.Release, err)
		}
		list = append(list, module{moduleName(path), data})
	}
	return list, nil
}

// Has reports whether the kernel has a module, or its code built in.
func (k Kernel) Has(name string) bool {
	d, err := k.dependencies()
	_, known := d[name]
	return err == nil && known
}

// decompressed reads a module's file: .ko, .ko.gz, .ko.xz or .ko.zst.
func decompressed(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	switch filepath.Ext(path) {
	case ".gz":
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case ".xz":
		return filtered("xz", b)
	case ".zst":
		return filtered("zstd", b)
	}
	return b, nil
}

// filtered decompresses by a program.
func filtered(program string, b []byte) ([]byte, error) {
	c := exec.Command(program, "-dc")
	c.Stdin = bytes.NewReader(b)
	out, err := c.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("the program %s is not installed, which decompresses it", program)
	}
	return out, err
}
