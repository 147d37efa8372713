package telemetry

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// PacketSockets are the packet sockets of a process, packet(7). What their rings
// have no room for the kernel counts in the socket alone: no tracepoint and no
// counter of the device shows it, and the process may not ask. So this asks in its
// place, by a duplicate of the descriptor (pidfd_getfd, Linux 5.6).
type PacketSockets struct{ list []packetSocket }

type packetSocket struct {
	fd    int // ours
	index int // of the device
	lost  uint64
}

// OpenPacketSockets finds them; there may be none. It needs the right to trace the
// process. Close it before the process is expected to leave its network namespace.
func OpenPacketSockets(pid int) (*PacketSockets, error) {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("open process %d for its packet sockets: %w", pid, err)
	}
	defer unix.Close(process)
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return nil, fmt.Errorf("list the descriptors of process %d: %w", pid, err)
	}
	p := &PacketSockets{}
	for _, f := range files {
		link, err := os.Readlink(filepath.Join(fmt.Sprintf("/proc/%d/fd", pid), f.Name()))
		if err != nil || !strings.HasPrefix(link, "socket:") {
			continue // closed meanwhile, or a file
		}
		if err := p.add(process, f.Name()); err != nil {
			return nil, errors.Join(fmt.Errorf("descriptor %s of process %d: %w", f.Name(), pid, err), p.Close())
		}
	}
	return p, nil
}

// add takes a socket in when it is bound to a device as a packet socket.
func (p *PacketSockets) add(process int, descriptor string) error {
	n, err := strconv.Atoi(descriptor)
	if err != nil {
		return err
	}
	fd, err := unix.PidfdGetfd(process, n, 0)
	if errors.Is(err, unix.EBADF) {
		return nil // closed meanwhile
	}
	if err != nil {
		return fmt.Errorf("duplicate it: %w", err)
	}
	domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil || domain != unix.AF_PACKET {
		return errors.Join(err, unix.Close(fd))
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	link, ok := at.(*unix.SockaddrLinklayer)
	if !ok || link.Ifindex == 0 {
		return unix.Close(fd)
	}
	p.list = append(p.list, packetSocket{fd: fd, index: link.Ifindex})
	return nil
}

// Lost are the totals of packets, since Open, that found no room, by the index of
// the device. The kernel's own total begins again with each question, whoever asks
// it: what the process itself has asked for is not in here.
func (p *PacketSockets) Lost() (map[int]uint64, error) {
	lost := map[int]uint64{}
	for i := range p.list {
		s := &p.list[i]
		stats, err := unix.GetsockoptTpacketStats(s.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
		if err != nil {
			return nil, fmt.Errorf("read the statistics of a packet socket: %w", err)
		}
		s.lost += uint64(stats.Drops)
		lost[s.index] += s.lost
	}
	return lost, nil
}

// IgnoreOutgoing keeps from the sockets what the device sends, which they see as
// well as what it receives (PACKET_IGNORE_OUTGOING, Linux 4.20): for a process that
// does not know of it.
func (p *PacketSockets) IgnoreOutgoing() error {
	for _, s := range p.list {
		if err := unix.SetsockoptInt(s.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
			return fmt.Errorf("keep from a packet socket what is sent: %w", err)
		}
	}
	return nil
}

// Close gives the sockets up; the process keeps its own. That of nil does nothing.
func (p *PacketSockets) Close() error {
	if p == nil {
		return nil
	}
	var errs []error
	for _, s := range p.list {
		errs = append(errs, unix.Close(s.fd))
	}
	p.list = nil
	return errors.Join(errs...)
}
