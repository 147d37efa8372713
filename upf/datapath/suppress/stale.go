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

// Clear removes the classifiers of processes that were killed, for who attaches none now.
func Clear(links ...Link) error {
	kernel, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return fmt.Errorf("open netlink: %w", err)
	}
	s := &Suppressor{kernel: kernel}
	var errs []error
	for _, l := range links {
		if s.claim(l.Index) != nil {
			continue // its process runs, or both links are one
		}
		left, others := s.attached(l.Index)
		if left == 0 || others > 0 {
			continue
		}
		if err := s.kernel.QdiscDel(clsact(l.Index)); err != nil {
			errs = append(errs, fmt.Errorf("remove the classifier that a killed UPF left at %s: %w: `tc qdisc del "+
				"dev %s clsact` does it", l.Name, err, l.Name))
		}
	}
	return errors.Join(append(errs, s.Close())...)
}

// removeStale removes the classifier of a process that was killed. Where there are others,
// it leaves all as it is.
func (s *Suppressor) removeStale(index int) error {
	if _, others := s.attached(index); others > 0 {
		return unix.EEXIST
	}
	return s.kernel.QdiscDel(clsact(index))
}

// attached counts the filters of an interface, ours and those of others.
func (s *Suppressor) attached(index int) (ours, others int) {
	link := &netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Index: index}}
	for _, parent := range []uint32{netlink.HANDLE_MIN_INGRESS, netlink.HANDLE_MIN_EGRESS} {
		list, err := s.kernel.FilterList(link, parent)
		if err != nil {
			return ours, others + 1 // not to be touched
		}
		for _, f := range list {
			if b, ok := f.(*netlink.BpfFilter); ok && b.Name == name {
				ours++
			} else {
				others++
			}
		}
	}
	return ours, others
}
