package history

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/results/store"
)

// file is a result on disk.
type file struct {
	path  string // of its folder, below the store's, with slashes
	size  int64
	mtime int64 // ns since 1970
}

// checkFolder refuses what is no folder, and a folder that cannot be listed: it would look like one
// without results.
func checkFolder(dir string) error {
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return fmt.Errorf("there is no folder %s: name the one that `upflab run` writes into, results unless --out said otherwise", dir)
	}
	f, err := os.Open(dir)
	if err == nil {
		_, err = f.Readdirnames(1)
		f.Close()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the folder %s: %w; call this as its owner, or by sudo", dir, err)
	}
	return nil
}

// scan lists the results below a folder. Below a result, in folders whose name begins
// with a dot, and behind symbolic links it does not look. What cannot be opened is left
// out and named.
func scan(dir string) (files []file, problems []string, err error) {
	if err := checkFolder(dir); err != nil {
		return nil, nil, err
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			problems = append(problems, err.Error())
			return nil
		}
		if !d.IsDir() {
			return nil
		}
		if path != dir && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		info, err := os.Lstat(filepath.Join(path, store.FileName))
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		below, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files = append(files, file{path: filepath.ToSlash(below), size: info.Size(), mtime: info.ModTime().UnixNano()})
		if path != dir { // results may lie in the folder of another one only at the top
			return filepath.SkipDir
		}
		return nil
	})
	return files, problems, err
}

// read takes what the index keeps from a result; of one that cannot be read, why.
func read(dir string, f file) *Run {
	path := filepath.Join(dir, filepath.FromSlash(f.path), store.FileName)
	r, err := store.Shown.Load(path)
	if err != nil {
		return &Run{Path: f.path, Unreadable: err.Error()}
	}
	return newRun(f.path, r)
}
