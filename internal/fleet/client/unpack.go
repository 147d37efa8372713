package client

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What an agent may hand in: one that does not mean well must not fill the client's disk,
// nor write outside its folder.
const (
	maxFile  = 512 << 20 // octets
	maxTotal = 2 << 30   // octets
	maxFiles = 10_000
	// maxDepth bounds the folders that a name makes: one of 4096 octets can name 2000.
	maxDepth = 8
	// maxRest is for headers and padding. An archive can have any number of headers before a file,
	// which take no room at the client, but its time.
	maxRest = 256 << 20 // octets
)

// unpack writes the files of a tar.gz below dir.
func unpack(r io.Reader, dir string) error { return unpackWithin(r, dir, maxTotal+maxRest) }

// unpackWithin is unpack of an archive that is no larger than most octets, before it was packed.
func unpackWithin(r io.Reader, dir string, most int64) error {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("not a packed result: %w", err)
	}
	in := tar.NewReader(io.LimitReader(zip, most))
	total := int64(0)
	for n := 0; ; n++ {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("not a packed result: %w", err)
		}
		total += h.Size
		switch {
		case h.Typeflag != tar.TypeReg:
			return fmt.Errorf("%q is no ordinary file", h.Name)
		case !filepath.IsLocal(h.Name):
			return fmt.Errorf("%q is outside the result's folder", shortened(h.Name))
		case strings.Count(h.Name, "/") > maxDepth:
			return fmt.Errorf("%q: a result has at most %d folders within each other", shortened(h.Name), maxDepth)
		case h.Size < 0 || h.Size > maxFile || total > maxTotal || n >= maxFiles:
			return fmt.Errorf("%q: a result has at most %d files, of %d MB each and %d MB together", h.Name, maxFiles, maxFile>>20, maxTotal>>20)
		}
		if err := writeFile(filepath.Join(dir, h.Name), in); err != nil {
			return entryError(h.Name, err)
		}
	}
}

// entryError names the file that could not be written, as the archive does.
func entryError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%q cannot be written: %w", shortened(name), err)
}

// shortened is a name for an error.
func shortened(name string) string {
	const most = 80 // octets
	if len(name) > most {
		return name[:most] + "..."
	}
	return name
}

func writeFile(path string, from io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Sync(), f.Close())
}
