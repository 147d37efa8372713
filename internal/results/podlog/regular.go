package podlog

import (
	"io/fs"
	"os"
)

// regularFS are the folders and regular files of a folder.
type regularFS struct{ fs.FS }

func regular(dir string) fs.FS { return regularFS{os.DirFS(dir)} }

// ReadDir implements fs.ReadDirFS: it lists the regular files and folders.
func (r regularFS) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(r.FS, name)
	list := all[:0]
	for _, e := range all {
		if e.IsDir() || e.Type().IsRegular() {
			list = append(list, e)
		}
	}
	return list, err
}
