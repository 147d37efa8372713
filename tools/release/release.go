package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// options say what to make of what.
type options struct {
	source, out string
	arches      []string // "amd64", "arm64"
	cache       string   // Go's build cache; empty: the user's
	sign        string   // the owner's secret key, a file; empty: not signed
	public      string   // the owner's public key, by which a release is verified; empty: by no key
}

// environment is that of Go: settings of the user's that change a binary do not count.
func (o options) environment() []string {
	env := append(os.Environ(), "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0")
	if o.cache != "" {
		env = append(env, "GOCACHE="+o.cache)
	}
	return env
}

// release makes everything and checks it. It writes each step to w as it begins, with the seconds since the start.
func release(o options, w io.Writer) error {
	start := time.Now()
	step := func(format string, args ...any) {
		fmt.Fprintf(w, "%4.0f s  %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
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
	// The first program is one that runs here: it writes the completions.
	host := filepath.Join(work, "upflab-"+runtime.GOARCH)
	step("the program for %s", runtime.GOARCH)
	if err := build(o, runtime.GOARCH, host, v); err != nil {
		return err
	}
	step("manual pages and completions")
	shared, err := common(o, host, work, v)
	if err != nil {
		return err
	}
	var made []string
	var images []platform
	for _, arch := range o.arches {
		binary := filepath.Join(work, "upflab-"+arch)
		if binary != host {
			step("the program for %s", arch)
			if err := build(o, arch, binary, v); err != nil {
				return err
			}
		}
		step("archive, package and SBOM for %s", arch)
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
	step("image, recipes, provenance and checksums")
	name, err := image(o.out, images, v)
	if err != nil {
		return err
	}
	others, err := recipes(o.out, o.arches, v)
	if err != nil {
		return err
	}
	made = append(append(made, name), others...)
	about, err := provenance(o, made, v)
	if err != nil {
		return err
	}
	made = append(made, about)
	sums, err := checksums(o.out, made)
	if err != nil {
		return err
	}
	if o.sign != "" {
		step("signature")
		if err := sign(o.out, o.sign, v); err != nil {
			return err
		}
	}
	step("check of %d files", len(made)+1)
	if err := check(o.out, o.arches, v); err != nil {
		return err
	}
	step("done: %s has %s", o.out, strings.Join(append(made, sums), " "))
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
