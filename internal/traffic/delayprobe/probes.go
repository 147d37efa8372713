// Package delayprobe times a sample of the test packets at the two ports of a UPF: from where
// a packet comes in at N3 to where it goes out at N6, and the other way round. That is
// what a study with tcpdump at both ports takes, without the queue before the first.
//
// Where the kernel's stack receives for the UPF, the probes are classifiers (tcx) at the
// ingress of one port and at the egress of the other: the delay holds sockets, wake-ups
// and the UPF's own work. Where the UPF is an XDP program, or sends by AF_XDP, nothing sees
// what it sends out of a port: the delay then ends at the other end of that link, before the
// program there, and holds the way over the link. Wire, timed the same way, shows how much that
// is.
//
// Sampled are one in so many packets by a hash of session and sequence number, the same
// at both ports. A packet that comes in waits in a table of 8192 for its way out; one
// that is lost stays there until another one takes its place. Those that went through are kept
// one by one, so that what was due while something disturbed the bench can be left out.
package delayprobe

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/xdpchain"
	"github.com/upflab/upflab/internal/record"
)

//go:generate go tool bpf2go -tags linux -target bpfel -type tally -cc clang -cflags "-O2 -g -Wall -Werror -mcpu=v3 -I../../proto -idirafter /usr/include/x86_64-linux-gnu" probes bpf/probes.c

// Config says where the probes are.
type Config struct {
	N3, N6  netdev.Port // of the UPF, in a namespace that can be entered
	GNB, DN netdev.Port // the other ends of their links
	XDP     bool        // the UPF is an XDP program at both ports
	Unseen  bool        // what it sends passes no classifier, as with XDP, though it does not receive so
	Every   int         // one packet in so many is timed; a power of two
}

// Probes time packets until they are closed.
type Probes struct {
	shared map[string]*ebpf.Map // by all programs
	loaded []*ebpf.Collection
	links  []link.Link
	chains []*xdpchain.Chain

	closing chan struct{}
	reading sync.WaitGroup
	mu      sync.Mutex // of what follows
	ring    *ringbuf.Reader
	passed  []Passage // since the last Take
	lost    uint64    // packets that the ring had no room for, until the last Take
	err     error     // of reading, since the last Take
}

// Open attaches probes. Call it after the UPF and the traffic engine have attached their
// programs. Classifiers need Linux 6.6.
func Open(c Config) (*Probes, error) {
	if c.Every < 1 || c.Every&(c.Every-1) != 0 {
		return nil, fmt.Errorf("time one packet in %d: it has to be a power of two", c.Every)
	}
	t := &Probes{closing: make(chan struct{})}
	attach := t.atPorts
	if c.XDP {
		attach = t.beforePrograms
	}
	if err := attach(c); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	var err error
	if t.ring, err = ringbuf.NewReader(t.shared[probesMapPassages]); err != nil {
		return nil, errors.Join(fmt.Errorf("read the probes: %w", err), t.Close())
	}
	t.reading.Go(t.read)
	return t, nil
}

// directions is how many there are.
const directions = 2

// indexOf is a direction's place in the maps.
func indexOf(d record.Direction) uint32 {
	if d == record.Downlink {
		return 1
	}
	return 0
}

// Close detaches. The UPF's programs go on.
func (t *Probes) Close() error {
	var errs []error
	close(t.closing)
	t.reading.Wait()
	if t.ring != nil {
		errs = append(errs, t.ring.Close())
	}
	for _, l := range t.links {
		errs = append(errs, l.Close())
	}
	for _, c := range t.chains {
		errs = append(errs, c.Close())
	}
	for _, c := range t.loaded {
		c.Close()
	}
	for _, m := range t.shared {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}
