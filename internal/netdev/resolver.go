package netdev

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
)

// configDir is where `ip netns exec` finds files to show in /etc, in a folder named as
// the namespace.
const configDir = "/etc/netns"

// SetResolver lets `ip netns exec` show a resolv.conf with this server. It goes with the
// namespace.
func (n *Namespace) SetResolver(server netip.Addr) error {
	dir := filepath.Join(configDir, n.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make a folder for resolv.conf: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "resolv.conf"), fmt.Appendf(nil, "nameserver %s\n", server), 0o644)
}

// removeConfig removes what SetResolver made.
func removeConfig(name string) error {
	dir := filepath.Join(configDir, name)
	if _, err := os.Lstat(dir); err != nil {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	os.Remove(configDir) // when it is empty
	return nil
}
