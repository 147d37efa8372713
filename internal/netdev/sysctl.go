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

// SysctlIfThere is Sysctl where the kernel has the setting; else it does nothing.
func (n *Namespace) SysctlIfThere(key, value string) error {
	err := n.Sysctl(key, value)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
