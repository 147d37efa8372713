package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// options say what to make of what.
type options struct {
	source, out string
	arches      []string // "amd64", "arm64"
}

// release makes everything, each file of it named on w.
func release(o options, w io.Writer) error {
	if o.out == "" {
		o.out = filepath.Join(o.source, "dist")
	}
	v, err := describe(o.source)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "upflab-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	shared, err := common(o.source, work, v)
	if err != nil {
		return err
	}
	var made []string
	var images []platform
	for _, arch := range o.arches {
		binary := filepath.Join(work, "upflab-"+arch)
		if err := build(o.source, arch, binary, v); err != nil {
			return err
		}
		files, err := with(binary, shared)
		if err != nil {
			return err
		}
		names, err := perArch(o.out, arch, binary, files, v)
		if err != nil {
			return err
		}
		made = append(made, names...)
		images = append(images, platform{arch, files})
	}
	name, err := image(o.out, images, v)
	if err != nil {
		return err
	}
	made = append(made, name)
	sums, err := checksums(o.out, made)
	if err != nil {
		return err
	}
	for _, name := range append(made, sums) {
		fmt.Fprintln(w, filepath.Join(o.out, name))
	}
	return nil
}

// perArch makes what there is once for each architecture.
func perArch(out, arch, binary string, files []file, v version) (names []string, err error) {
	for _, make := range []func() (string, error){
		func() (string, error) { return archive(out, arch, files, v) },
		func() (string, error) { return debian(out, arch, files, v) },
		func() (string, error) { return bill(out, arch, binary, v) },
	} {
		name, err := make()
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}
