package netdev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Sysctl sets a key below /proc/sys/net in the namespace.
func (n *Namespace) Sysctl(key, value string) error {
	path := filepath.Join("/proc/sys/net", key)
	err := n.Do(func() error { return os.WriteFile(path, []byte(value), 0) })
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("set %s to %s in %s: %w: this kernel has no such setting", path, value, n.Name, err)
	}
	if err != nil {
		return fmt.Errorf("set %s to %s in %s: %w", path, value, n.Name, err)
	}
	return nil
}
