package dut

import (
	"os"
	"path/filepath"
)

// LookIn gives the first file of that name in a list of folders as PATH is one, ""
// when there is none. A program has to be executable.
func LookIn(path, name string, program bool) string {
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			continue
		}
		file, err := filepath.Abs(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		info, err := os.Stat(file)
		if err == nil && info.Mode().IsRegular() && (!program || info.Mode()&0o111 != 0) {
			return file
		}
	}
	return ""
}
