package free5gc

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"strings"
)

// The guest's two files, which have to match: a module is for one kernel.
const (
	kernelVariable = "UPFLAB_FREE5GC_KERNEL"
	moduleVariable = "UPFLAB_FREE5GC_MODULE"
)

type guestFiles struct{ kernel, module string }

// findGuest gives the files that a guest is made of.
func findGuest() (f guestFiles, err error) {
	for variable, path := range map[string]*string{kernelVariable: &f.kernel, moduleVariable: &f.module} {
		*path = os.Getenv(variable)
		if *path == "" {
			return f, fmt.Errorf("free5gc: gtp5g is not loaded in this kernel (%s), and for a guest (%s) set %s "+
				"to a User Mode Linux kernel and %s to a gtp5g.ko built for it: %s is not set; see docs/duts/free5gc.md",
				kernelMode, guestMode, kernelVariable, moduleVariable, variable)
		}
		if _, err := os.Stat(*path); err != nil {
			return f, fmt.Errorf("%s=%s: %w", variable, *path, err)
		}
	}
	return f, nil
}

// moduleVersion is what the module says of itself; "unknown" when it does not.
func moduleVersion(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	section := f.Section(".modinfo")
	if section == nil {
		return "unknown"
	}
	data, err := section.Data()
	if err != nil {
		return "unknown"
	}
	return versionIn(data)
}

// versionIn finds the version in a module's information: KEY=VALUE, each ended by
// a zero.
func versionIn(modinfo []byte) string {
	for entry := range bytes.SplitSeq(modinfo, []byte{0}) {
		if v, found := strings.CutPrefix(string(entry), "version="); found && v != "" {
			return v
		}
	}
	return "unknown"
}
