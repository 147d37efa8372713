package netns

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// Sysctls are the settings of each namespace, by their path below /proc/sys/net: quiet (no
// IPv6 chatter) and forwarding.
func Sysctls() map[string]string {
	return map[string]string{
		"ipv6/conf/all/disable_ipv6":     "1",
		"ipv6/conf/default/disable_ipv6": "1",
		"ipv4/ip_forward":                "1",
		"ipv4/conf/all/rp_filter":        "0",
		"ipv4/conf/default/rp_filter":    "0",
		"ipv4/conf/all/send_redirects":   "0",
		"ipv4/conf/all/accept_local":     "1",
	}
}

func sysctls(ns *netdev.Namespace) error {
	return ns.Do(func() error {
		for key, value := range Sysctls() {
			path := filepath.Join("/proc/sys/net", key)
			err := os.WriteFile(path, []byte(value), 0)
			if err != nil && !os.IsNotExist(err) { // no IPv6 in the kernel: nothing to silence
				return fmt.Errorf("set %s in %s: %w", path, ns.Name, err)
			}
		}
		return nil
	})
}
