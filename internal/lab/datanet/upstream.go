package datanet

import (
	"errors"
	"net"
	"os"
	"strings"
	"time"
)

// upstream is a DNS server that the machine uses.
type upstream string

// machineResolver is the first server of the machine's resolv.conf.
func machineResolver() (upstream, error) {
	b, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "nameserver" {
			return upstream(net.JoinHostPort(f[1], "53")), nil
		}
	}
	return "", errors.New("/etc/resolv.conf has no nameserver")
}

// ask passes a query on over UDP, from the machine's namespace.
func (u upstream) ask(query []byte) ([]byte, error) {
	c, err := net.Dial("udp", string(u))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(3 * time.Second))
	if _, err := c.Write(query); err != nil {
		return nil, err
	}
	b := make([]byte, 4096)
	n, err := c.Read(b)
	return b[:n], err
}
