package afpacket

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/traffic"
)

// suppressor keeps the kernel from answering the packets that arrive, by UDP sockets
// that take nothing. A packet socket gets copies: for each packet without a socket the
// kernel would send an ICMP message, and it would forward some back.
type suppressor []net.PacketConn

// portsMax bounds the number of sockets; the kernel limits its answers for other ports
// to one a second.
const portsMax = 256

// open makes the port's side of a flow silent. What is changed of the kernel's
// settings goes with the namespace; one that is not ours is left as it is.
func (h *suppressor) open(f *traffic.Flow, port netdev.Port) error {
	return port.NS.Do(func() error {
		if port.NS.Name != "" {
			const forward = "/proc/sys/net/ipv4/ip_forward"
			if err := os.WriteFile(forward, []byte("0"), 0); err != nil {
				return fmt.Errorf("switch forwarding off where %s receives: %w", port.Name, err)
			}
		}
		for number := range silent(f) {
			if err := h.occupy(number); err != nil {
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
		return map[uint16]bool{gtpu.Port: true}
	}
	for _, s := range f.Shapes {
		if len(ports) < portsMax && s.DestinationPort != 0 {
			ports[s.DestinationPort] = true
		}
	}
	return ports
}

// occupy opens a socket whose filter takes nothing. A port that has a
// socket already needs none.
func (h *suppressor) occupy(number uint16) error {
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		c.Control(func(fd uintptr) { err = takeNothing(int(fd)) })
		return err
	}}
	conn, err := config.ListenPacket(context.Background(), "udp", fmt.Sprintf(":%d", number))
	if err != nil {
		return nil // taken, or not ours to take: the kernel answers once a second
	}
	*h = append(*h, conn)
	return nil
}

// takeNothing lets a socket take nothing, by a classic filter, which needs no BPF
// system call.
func takeNothing(fd int) error {
	const nothing = unix.BPF_RET | unix.BPF_K
	program := []unix.SockFilter{{Code: nothing}}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &program[0]})
}

func (h *suppressor) close() {
	for _, conn := range *h {
		conn.Close()
	}
	*h = nil
}
