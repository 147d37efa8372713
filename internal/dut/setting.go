package dut

import (
	"os"
	"path/filepath"
	"strings"
)

// ReadSetting is a setting of this machine, by its path below /proc/sys; "unknown"
// when it cannot be read.
func ReadSetting(key string) string {
	b, err := os.ReadFile(filepath.Join("/proc/sys", key))
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(b))
}
