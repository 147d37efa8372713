package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/blakesmith/ar"
	"github.com/ulikunitz/xz"
)

// readDebian reads what a Debian package installs, and its control file.
func readDebian(name string) (installed content, control string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	members, err := readMembers(f)
	if err != nil {
		return nil, "", err
	}
	if got := strings.TrimSpace(string(members["debian-binary"])); got != "2.0" {
		return nil, "", fmt.Errorf("it is no Debian package: its debian-binary is %q", got)
	}
	z, err := gzip.NewReader(bytes.NewReader(members["control.tar.gz"]))
	if err != nil {
		return nil, "", fmt.Errorf("control.tar.gz: %w", err)
	}
	about, err := readTar(z, func(member string) (string, error) { return strings.TrimPrefix(member, "./"), nil })
	if err != nil {
		return nil, "", fmt.Errorf("control.tar.gz: %w", err)
	}
	x, err := xz.NewReader(bytes.NewReader(members["data.tar.xz"]))
	if err != nil {
		return nil, "", fmt.Errorf("data.tar.xz: %w", err)
	}
	installed, err = readTar(x, func(member string) (string, error) { return unpacked("/" + strings.TrimPrefix(member, "./")), nil })
	return installed, string(about["control"]), err
}

// readMembers reads an ar archive.
func readMembers(r io.Reader) (content, error) {
	c := content{}
	for a := ar.NewReader(r); ; {
		h, err := a.Next()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		if c[strings.TrimSuffix(h.Name, "/")], err = io.ReadAll(a); err != nil {
			return nil, err
		}
	}
}

// checkControl: dpkg is given the version and the architecture that the file's name has.
func checkControl(control, arch string, v version) error {
	for _, want := range []string{"Package: upflab", "Version: " + v.debian(), "Architecture: " + arch} {
		if !strings.Contains("\n"+control+"\n", "\n"+want+"\n") {
			return fmt.Errorf("its control file has no line %q:\n%s", want, control)
		}
	}
	return nil
}
