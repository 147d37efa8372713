package host

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// readNumber reads a setting of the kernel that is one.
func readNumber(path string) (int, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

// writeNumber changes one.
func writeNumber(path string, n int) error {
	if err := os.WriteFile(path, []byte(strconv.Itoa(n)), 0); err != nil {
		return fmt.Errorf("set %s to %d: %w (root is needed)", path, n, err)
	}
	return nil
}
