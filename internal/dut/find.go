package dut

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Find looks for a UPF's program: the path in the environment variable
// UPFLAB_<NAME>, else the name in PATH.
func Find(info Info, program string) (path string, err error) {
	variable := "UPFLAB_" + strings.ToUpper(info.Name)
	if path = os.Getenv(variable); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			return "", fmt.Errorf("%s=%s: %w", variable, path, err)
		}
		return path, nil
	}
	if path, err = exec.LookPath(program); err != nil {
		return "", fmt.Errorf("%s is not installed: no %q in PATH; install it by %s, or set %s to its path",
			info.Name, program, info.Docs, variable)
	}
	return path, nil
}
