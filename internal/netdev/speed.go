package netdev

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Speed is how fast the port's link is, bits/s, one way; 0: not known, as of a device without
// hardware, or of a virtual one that says no speed.
func (p *Port) Speed() (bitsPerS uint64) {
	p = p.device()
	p.NS.doWithSysfs(func() error {
		bitsPerS = speedIn("/sys/class/net/" + p.Name)
		return nil
	})
	return bitsPerS
}

// speedIn reads it in a device's folder of sysfs. A veth says 10 Gbit/s, which mean nothing.
func speedIn(dir string) uint64 {
	if _, err := os.Stat(filepath.Join(dir, "device")); err != nil {
		return 0
	}
	b, _ := os.ReadFile(filepath.Join(dir, "speed")) // cannot be read of a device that is down
	mbits, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil || mbits <= 0 {
		return 0
	}
	return uint64(mbits) * 1e6
}
