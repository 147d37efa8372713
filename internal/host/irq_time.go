package host

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// ThreadsHoldSoftIRQ reports whether the time of a thread holds the softirqs that run on
// top of it: the kernel was built without CONFIG_IRQ_TIME_ACCOUNTING. false: it does not, or
// that is not known.
func ThreadsHoldSoftIRQ() bool {
	config, err := kernelConfig()
	if err != nil {
		return false
	}
	defer config.Close()
	return threadsHoldSoftIRQ(config)
}

func threadsHoldSoftIRQ(config io.Reader) bool {
	for lines := bufio.NewScanner(config); lines.Scan(); {
		if lines.Text() == "# CONFIG_IRQ_TIME_ACCOUNTING is not set" {
			return true
		}
	}
	return false
}

// kernelConfig is how the running kernel was configured.
func kernelConfig() (io.ReadCloser, error) {
	if f, err := os.Open("/proc/config.gz"); err == nil {
		unpacked, err := gzip.NewReader(f)
		if err != nil {
			f.Close()
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{unpacked, f}, nil
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return nil, err
	}
	release, _, _ := strings.Cut(string(name.Release[:]), "\x00")
	return os.Open("/boot/config-" + release)
}
