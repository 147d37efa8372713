package site

import (
	"errors"
	"fmt"
	"os"

	"github.com/upflab/upflab/internal/scenario"
)

// kernelIPv6 is there where the kernel has IPv6.
const kernelIPv6 = "/proc/sys/net/ipv6/conf"

// CheckKernelIPv6 refuses IPv6, of UEs or around the UPF, where this machine's kernel has none, as after a boot with
// ipv6.disable=1.
func CheckKernelIPv6(s *scenario.Scenario) error {
	for _, one := range s.Stacks() {
		if err := checkKernelIPv6(one); err != nil {
			return err
		}
	}
	return nil
}

func checkKernelIPv6(s *scenario.Scenario) error {
	key, value := "ue.family", string(s.UE.Family)
	if s.Transport.IPv6() {
		key, value = "transport", string(s.Transport)
	} else if !s.UE.Family.IPv6() {
		return nil
	}
	if s.External != nil && len(s.Flows) == 0 && !s.Transport.IPv6() { // applications, and N4 of IPv6, are sockets of this machine
		return nil
	}
	if !KernelHasIPv6() {
		return fmt.Errorf("%s is %s, but this machine's kernel has no IPv6 (%s is not there): boot it without "+
			"ipv6.disable=1, or set %s to ipv4", key, value, kernelIPv6, key)
	}
	return nil
}

// KernelHasIPv6 reports whether this machine's kernel has IPv6.
func KernelHasIPv6() bool {
	_, err := os.Stat(kernelIPv6)
	return !errors.Is(err, os.ErrNotExist)
}
