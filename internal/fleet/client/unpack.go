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
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/results/store"
)

// What an agent may hand in: one that does not mean well must not fill the client's disk,
// nor write outside its folder.
const (
	maxFile  = 512 << 20 // octets
	maxTotal = 2 << 30   // octets
	maxFiles = 10_000
	// maxRest is for headers and padding. An archive can have any number of headers before a file,
	// which take no room at the client, but its time.
	maxRest = 256 << 20 // octets
)

// resultFolder is the folder of the run in what an agent hands in; logName is what the run said, and
// the others are of use to the agent alone.
const (
	resultFolder = "result"
	logName      = "log.txt"
)

var ofAgent = []string{"report.json", "scenario.yaml"}

// unpack writes the files of a tar.gz below dir: those that a run writes. It describes the others, ""
// when there were none.
func unpack(r io.Reader, dir string) (refused string, err error) {
	return unpackWithin(r, dir, maxTotal+maxRest)
}

// unpackWithin is unpack of an archive that is no larger than most octets, before it was packed.
func unpackWithin(r io.Reader, dir string, most int64) (refused string, err error) {
	var files store.Receiver
	err = eachFile(r, most, func(name string, from io.Reader) error {
		inResult, of := strings.CutPrefix(name, resultFolder+"/")
		switch {
		case name == logName, of && files.Takes(inResult):
			return writeFile(filepath.Join(dir, name), from)
		case !of && !slices.Contains(ofAgent, name):
			files.Refuse(name)
		}
		return nil
	})
	return files.Refused(), err
}

// eachFile gives the files of an archive, one after the other. An archive that is not one of ordinary
// files within a folder, or too large, is an error.
func eachFile(r io.Reader, most int64, do func(name string, from io.Reader) error) error {
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
			return fmt.Errorf("%s is no ordinary file", store.Quoted(h.Name))
		case !filepath.IsLocal(h.Name):
			return fmt.Errorf("%s is outside the result's folder", store.Quoted(h.Name))
		case h.Size < 0 || h.Size > maxFile || total > maxTotal || n >= maxFiles:
			return fmt.Errorf("%s: a result has at most %d files, of %d MB each and %d MB together", store.Quoted(h.Name), maxFiles, maxFile>>20, maxTotal>>20)
		}
		if err := do(h.Name, in); err != nil {
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
	return fmt.Errorf("%s cannot be written: %w", store.Quoted(name), err)
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
