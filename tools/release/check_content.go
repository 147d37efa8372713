package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// content is what a package has: bodies by their path as in the archive, without its
// folder: "upflab", "share/man/man1/upflab.1.gz".
type content map[string][]byte

func (c content) program() []byte { return c[unpacked(program)] }

// readArchive reads a tar.gz whose files are all in one folder, its own name.
func readArchive(name string) (content, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	folder := strings.TrimSuffix(path.Base(name), ".tar.gz") + "/"
	return readTar(z, func(member string) (string, error) {
		short, inside := strings.CutPrefix(member, folder)
		if !inside {
			return "", fmt.Errorf("%s is outside the folder %s", member, folder)
		}
		return short, nil
	})
}

// readTar reads the files of a tar stream, named by short.
func readTar(r io.Reader, short func(member string) (string, error)) (content, error) {
	c := content{}
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name, err := short(h.Name)
		if err != nil {
			return nil, err
		}
		if c[name], err = io.ReadAll(t); err != nil {
			return nil, err
		}
	}
}

// checkContent looks for what every package has: program, licence and manual pages that
// `man` can read.
func checkContent(c content) error {
	var wrong []error
	for _, installed := range []string{program, licencePath, manualPath} {
		if len(c[unpacked(installed)]) == 0 {
			wrong = append(wrong, fmt.Errorf("it has no %s", unpacked(installed)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		if strings.HasPrefix(name, "share/man/") {
			wrong = append(wrong, about(name, checkManual(c[name])))
		}
	}
	return errors.Join(wrong...)
}

// checkManual: a manual page has a title.
func checkManual(compressed []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(z)
	if err == nil && !bytes.Contains(text, []byte(".TH ")) {
		err = errors.New("it is no manual page: it has no .TH")
	}
	return err
}

// sameContent: whoever takes the one gets what the other has.
func sameContent(a, b content) error {
	names := slices.Collect(maps.Keys(a))
	names = slices.AppendSeq(names, maps.Keys(b))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if !bytes.Equal(a[name], b[name]) {
			return fmt.Errorf("its %s is not the archive's", name)
		}
	}
	return nil
}
