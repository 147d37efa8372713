// Package mirror copies one session's packets at N3 and N6 by packet sockets, for
// datapaths whose packets the kernel sees: those in user space.
package mirror

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
)

// Config says where, and what is copied.
type Config struct {
	N3, N6    string     // interfaces in the network namespace of the calling thread
	N3Address netip.Addr // IPv4
	Of        []datapath.WatchKey
	To        func(datapath.Seen)
}

// capture is under way until it is closed.
type capture struct {
	Config
	mu      sync.Mutex // of To
	ending  atomic.Bool
	running sync.WaitGroup
}

// Open begins. Drops are not seen. CAP_NET_RAW is needed.
func Open(c Config) (io.Closer, error) {
	x := &capture{Config: c}
	names := []string{c.N3, c.N6}
	if c.N3 == c.N6 {
		names = names[:1]
	}
	for _, name := range names {
		fd, err := openSocket(name)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("capture at %s: %w", name, err), x.Close())
		}
		x.running.Go(func() {
			defer unix.Close(fd)
			x.read(fd)
		})
	}
	return x, nil
}

// patience is how long a read waits before it is looked whether to end.
const patience = 100 * time.Millisecond

func openSocket(name string) (fd int, err error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return -1, err
	}
	const all = unix.ETH_P_ALL>>8 | unix.ETH_P_ALL<<8&0xffff
	if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
		return -1, err
	}
	wait := unix.NsecToTimeval(patience.Nanoseconds())
	err = errors.Join(
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait),
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: ifc.Index}),
	)
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// Close ends the copying.
func (x *capture) Close() error {
	x.ending.Store(true)
	x.running.Wait()
	return nil
}

func (x *capture) read(fd int) {
	b := make([]byte, 1<<16)
	for !x.ending.Load() {
		n, from, err := unix.Recvfrom(fd, b, unix.MSG_TRUNC)
		if err != nil {
			continue // nothing came, or the interface is down for a while
		}
		ll, ok := from.(*unix.SockaddrLinklayer)
		if !ok {
			continue
		}
		out := ll.Pkttype == unix.PACKET_OUTGOING
		frame := b[:min(n, len(b))]
		if n3, wanted := x.wants(frame, out); wanted {
			x.mu.Lock()
			x.To(datapath.Seen{At: time.Now(), N6: !n3, Out: out, Length: n, Frame: frame})
			x.mu.Unlock()
		}
	}
}
