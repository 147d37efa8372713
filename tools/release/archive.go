package main

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// archive is a tar file for machines without dpkg: the program and its documents in one
// folder, the rest in the folders below /usr that it belongs to.
func archive(out, arch string, files []file, v version) (string, error) {
	name := v.archiveName(arch)
	folder := strings.TrimSuffix(name, ".tar.gz")
	f, err := os.Create(filepath.Join(out, name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	t := tar.NewWriter(z)
	for _, x := range files {
		if err := add(t, path.Join(folder, unpacked(x.path)), x, v); err != nil {
			return "", err
		}
	}
	for _, end := range []func() error{t.Close, z.Close, f.Close} {
		if err := end(); err != nil {
			return "", err
		}
	}
	return name, nil
}

// unpacked is where a file is in the archive.
func unpacked(installed string) string {
	if installed == program || strings.HasPrefix(installed, "/usr/share/doc/") {
		return path.Base(installed)
	}
	return strings.TrimPrefix(installed, "/usr/")
}

func add(t *tar.Writer, name string, x file, v version) error {
	err := t.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Mode: x.mode, Size: int64(len(x.body)), ModTime: v.date, Uname: "root", Gname: "root",
	})
	if err == nil {
		_, err = t.Write(x.body)
	}
	return err
}
