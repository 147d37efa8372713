package fib

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// mtu is a link's MTU and the links that follow it.
type mtu struct {
	index     int
	octets    atomic.Int64
	followers []follower
	asked     bool // since it was given: until then a change may have been missed
}

// follower is a link whose MTU is another's, less some octets.
type follower struct {
	link netlink.Link
	less int
}

// mtus are those of the links that exits are for.
type mtus struct {
	mu  sync.Mutex
	all []*mtu
}

// of is that of a link.
func (m *mtus) of(l Link) *mtu {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.all {
		if one.index == l.Index {
			return one
		}
	}
	one := &mtu{index: l.Index}
	one.octets.Store(int64(l.MTU))
	m.all = append(m.all, one)
	return one
}

// refresh asks the kernel again for the links that may have changed. One that is gone keeps its MTU.
func (m *mtus) refresh(kernel *netlink.Handle, mayHave func(link int) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.all {
		if one.asked && !mayHave(one.index) {
			continue
		}
		one.asked = true
		link, err := kernel.LinkByIndex(one.index)
		if err != nil {
			continue
		}
		is := link.Attrs().MTU
		if one.octets.Swap(int64(is)) == int64(is) {
			continue
		}
		for _, f := range one.followers {
			_ = kernel.LinkSetMTU(f.link, is-f.less) // a value outside its range is refused, and the MTU stays
		}
	}
}

// Follow has the MTU of a link, which is set already, follow another's, less some octets, when that
// changes.
func (f *FIB) Follow(l Link, by netlink.Link, less int) {
	one := f.mtus.of(l)
	f.mtus.mu.Lock()
	defer f.mtus.mu.Unlock()
	one.followers = append(one.followers, follower{by, less})
}

// isAbout reports whether a message is about a link itself.
func isAbout(m syscall.NetlinkMessage, link int) bool {
	const indexAt, indexEnd = 4, 8 // of struct ifinfomsg
	return (m.Header.Type == unix.RTM_NEWLINK || m.Header.Type == unix.RTM_DELLINK) && len(m.Data) >= indexEnd &&
		int(int32(binary.NativeEndian.Uint32(m.Data[indexAt:]))) == link
}
