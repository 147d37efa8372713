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
