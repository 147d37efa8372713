package afpacket

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/traffic"
)

// holes are UDP sockets that take nothing. A packet socket sees what arrives beside
// the kernel, which would answer each packet for which nobody listens with an ICMP
// message, and send some back to where they came from.
type holes []net.PacketConn

// holesMax is for how many ports there are sockets; the kernel itself limits its
// answers for the others to one a second.
const holesMax = 256

const gtpPort = 2152

// open makes the port's side of a flow silent. What is changed of the kernel's
// settings goes with the namespace; one that is not ours is left as it is.
func (h *holes) open(f *traffic.Flow, port netdev.Port) error {
	return port.NS.Do(func() error {
		if port.NS.Name != "" {
			const forward = "/proc/sys/net/ipv4/ip_forward"
			if err := os.WriteFile(forward, []byte("0"), 0); err != nil {
				return fmt.Errorf("switch forwarding off where %s receives: %w", port.Name, err)
			}
		}
		for number := range silent(f) {
			if err := h.dig(number); err != nil {
				return err
			}
		}
		return nil
	})
}

// silent lists the UDP ports at which the flow's packets arrive for the kernel.
func silent(f *traffic.Flow) map[uint16]bool {
	ports := map[uint16]bool{}
	if f.Expect.Encapsulated {
		return map[uint16]bool{gtpPort: true}
	}
	for _, s := range f.Shapes {
		if len(ports) < holesMax && s.DestinationPort != 0 {
			ports[s.DestinationPort] = true
		}
	}
	return ports
}

// dig opens a socket whose filter takes nothing. A port that somebody else listens
// at needs none.
func (h *holes) dig(number uint16) error {
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		c.Control(func(fd uintptr) { err = closeEars(int(fd)) })
		return err
	}}
	conn, err := config.ListenPacket(context.Background(), "udp4", fmt.Sprintf(":%d", number))
	if err != nil {
		return nil // taken, or not ours to take: the kernel answers once a second
	}
	*h = append(*h, conn)
	return nil
}

// closeEars lets a socket take nothing, by a classic filter, which needs no BPF
// system call.
func closeEars(fd int) error {
	const nothing = unix.BPF_RET | unix.BPF_K
	program := []unix.SockFilter{{Code: nothing}}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &program[0]})
}

func (h *holes) close() {
	for _, conn := range *h {
		conn.Close()
	}
	*h = nil
}
