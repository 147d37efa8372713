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
	cache       string   // Go's build cache; empty: the user's
}

// environment is that of Go: settings of the user's that change a binary do not count.
func (o options) environment() []string {
	env := append(os.Environ(), "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0")
	if o.cache != "" {
		env = append(env, "GOCACHE="+o.cache)
	}
	return env
}

// release makes everything and checks it, each file of it named on w.
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
	shared, err := common(o, work, v)
	if err != nil {
		return err
	}
	var made []string
	var images []platform
	for _, arch := range o.arches {
		binary := filepath.Join(work, "upflab-"+arch)
		if err := build(o, arch, binary, v); err != nil {
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
	return check(o.out, o.arches, v)
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
