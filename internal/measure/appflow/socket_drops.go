package appflow

import (
	"bytes"
	"os"
	"strconv"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

// socketDrops is how many datagrams found a full socket in a namespace so far; 0: it
// cannot be read.
func socketDrops(ns *netdev.Namespace) (n uint64) {
	if ns == nil { // on another machine
		return 0
	}
	ns.Do(func() error {
		text, err := os.ReadFile("/proc/thread-self/net/snmp")
		if err != nil {
			return err
		}
		text6, _ := os.ReadFile("/proc/thread-self/net/snmp6") // not there: the kernel has no IPv6
		n = udpField(text, "RcvbufErrors") + udp6Field(text6, "RcvbufErrors")
		return nil
	})
	return n
}

// udp6Field reads a counter of lines "Udp6NAME VALUE".
func udp6Field(snmp6 []byte, name string) uint64 {
	for line := range bytes.Lines(snmp6) {
		if f := bytes.Fields(line); len(f) == 2 && string(f[0]) == "Udp6"+name {
			v, _ := strconv.ParseUint(string(f[1]), 10, 64)
			return v
		}
	}
	return 0
}

// udpField reads a counter of the two lines that begin with "Udp:": names, then values.
func udpField(snmp []byte, name string) uint64 {
	var names [][]byte
	for line := range bytes.Lines(snmp) {
		f := bytes.Fields(line)
		if len(f) == 0 || string(f[0]) != "Udp:" {
			continue
		}
		if names == nil {
			names = f
			continue
		}
		for i := range min(len(f), len(names)) {
			if string(names[i]) == name {
				v, _ := strconv.ParseUint(string(f[i]), 10, 64)
				return v
			}
		}
	}
	return 0
}

// receiver is the namespace that a direction's data arrives in.
func (e *Ends) receiver(d record.Direction) *netdev.Namespace {
	if d == record.Uplink {
		return e.DN.Namespace
	}
	return e.UE.Namespace
}
