package dut

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Variable is the environment variable that names a UPF's program.
func Variable(info Info) string { return "UPFLAB_" + strings.ToUpper(info.Name) }

// Own gives the command of a UPF that is upflab's own: this program, or the one that the
// variable names.
func Own(info Info) (command []string, err error) {
	if os.Getenv(Variable(info)) != "" {
		command, _, err = Find(info, "upflab")
		return command, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find upflab's own program: %w", err)
	}
	return []string{self}, nil
}

// Find gives the command that starts a UPF's program, and the program's path. The
// command is the environment variable UPFLAB_<NAME>, whose last word is the program
// (the words before wrap it, as in "perf record -o /tmp/p eupf"), or the program of
// that name in PATH.
func Find(info Info, program string) (command []string, path string, err error) {
	variable := Variable(info)
	command = strings.Fields(os.Getenv(variable))
	if len(command) == 0 {
		if path, err = exec.LookPath(program); err != nil {
			return nil, "", fmt.Errorf("%s is not installed: no %q in PATH; see %s, or set %s to its path",
				info.Name, program, info.Docs, variable)
		}
		return []string{path}, path, nil
	}
	for _, i := range []int{0, len(command) - 1} {
		if path, err = exec.LookPath(command[i]); err != nil {
			return nil, "", fmt.Errorf("%s=%s: %w", variable, os.Getenv(variable), err)
		}
		command[i] = path
	}
	return command, path, nil
}

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
