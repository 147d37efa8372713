package dut

import (
	"os"
	"path/filepath"
	"strings"
)

// Finding is one ceiling: something that is known to cost throughput, latency or
// sessions when it is set wrongly.
type Finding struct {
	What   string // "net.core.rmem_default", "log level"
	Found  string // its value here; "" when it is not a thing of this machine
	Set    string // what upflab sets it to for the run; "" when it leaves it
	Cost   string // what it costs when it is wrong, with a figure where there is one
	Source string // where that is known from
}

// MergedSegments is the finding about GRO of a UPF that takes frames as they are: from
// packet sockets, or by a generic XDP program.
func MergedSegments() Finding {
	return Finding{
		What: "GRO at N6, and TSO and checksums at whatever sends to it (ethtool -k)", Found: "those of the devices that are N3 and N6",
		Set: "off at both ends (with UEs' applications: the key gro)",
		Cost: "TCP downlink falls to a thousandth while uplink is as it was: segments that the kernel has merged are longer than N3's MTU, " +
			"and the UPF can neither cut them nor finish their checksums; they are dropped. Uplink they are in GTP-U, which is not merged",
		Source: "docs/studies/sdcore-cni.md",
	}
}

// ReadSetting is a setting of this machine, by its path below /proc/sys; "unknown"
// when it cannot be read.
func ReadSetting(key string) string {
	b, err := os.ReadFile(filepath.Join("/proc/sys", key))
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(b))
}
