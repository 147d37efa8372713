package suppress

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// claim has it known that a process suppresses at an interface, for as long as it runs:
// the name of an abstract socket belongs to the network namespace, and goes with it.
func (s *Suppressor) claim(index int) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: fmt.Sprintf("@upf/suppress/%d", index)}); err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	s.claims = append(s.claims, fd)
	return nil
}

// removeStale removes the classifier of a process that was killed. Where there are others,
// it leaves all as it is.
func (s *Suppressor) removeStale(index int, qdisc netlink.Qdisc) error {
	link := &netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Index: index}}
	for _, parent := range []uint32{netlink.HANDLE_MIN_INGRESS, netlink.HANDLE_MIN_EGRESS} {
		list, err := s.kernel.FilterList(link, parent)
		if err != nil {
			return err
		}
		for _, f := range list {
			if b, ok := f.(*netlink.BpfFilter); !ok || b.Name != s.name {
				return unix.EEXIST
			}
		}
	}
	return s.kernel.QdiscDel(qdisc)
}
