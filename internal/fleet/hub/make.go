package hub

import (
	"fmt"
	"net"
	"os"
	"strconv"
)

// Make makes the folder of a hub that will run elsewhere, at host:port, with its keys and its
// operator's pass. In a folder that has a hub's keys it only changes the address.
func Make(dir, address string) error {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("the hub's address %s: %w; write HOST:PORT", address, err)
	}
	if port, err := strconv.Atoi(portText); err != nil || port < 1 || port > 65535 {
		return fmt.Errorf("the hub's address %s: %q is no port", address, portText)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the hub's folder: %w", err)
	}
	h := &Hub{dir: dir, keys: dir}
	if h.lock, err = lock(dir); err != nil {
		return err
	}
	defer h.lock.Close()
	if err := h.configure(Config{Dir: dir, Listen: net.JoinHostPort("", portText), Hosts: []string{host}}); err != nil {
		return err
	}
	return h.members()
}
