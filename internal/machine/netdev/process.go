package netdev

import (
	"fmt"
	"os"
	"strings"
)

// DevicesOf names the devices of the network namespace of a process; none where it is gone.
func DevicesOf(pid int) (names []string) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/dev", pid))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) { // two of them are heads, without a colon
		if name, _, found := strings.Cut(line, ":"); found {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

// SameNamespace reports whether two processes are in the same network namespace.
func SameNamespace(a, b int) bool {
	first, err := os.Stat(fmt.Sprintf("/proc/%d/ns/net", a))
	second, failed := os.Stat(fmt.Sprintf("/proc/%d/ns/net", b))
	return err == nil && failed == nil && os.SameFile(first, second)
}
