package externalran

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxComm is how much of a program's name the kernel keeps, octets.
const maxComm = 15

// running finds processes by their names; one that does not run is an error.
func running(key string, names []string) (pids []int, err error) {
	for _, name := range names {
		found := named(name)
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no process %s runs here: give the name that `ps -e` shows", key, name)
		}
		pids = append(pids, found...)
	}
	return pids, nil
}

func named(name string) (pids []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || strings.TrimSpace(string(text)) != name[:min(len(name), maxComm)] {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
