// Package capture copies the first packets at each hop through a UPF and writes them
// as pcapng, with an interface for each hop.
//
// A packet socket sees what reaches the kernel's stack, but not what XDP takes or
// redirects. On a port with an XDP program, upflab attaches its own program for the
// length of the capture: it copies the frame and tail-calls the port's program.
// Nothing can see what XDP sends out of a port; but a link delivers what enters it,
// so such a frame is shown at both ends, with the time of its arrival.
package capture

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/pcap"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Hop is a port whose packets are copied.
type Hop struct {
	Name string // as Wireshark shows it
	Port netdev.Port
	// Peer is the index, among those traced, of the hop at the link's other end;
	// below 0: there is none.
	Peer int
	// Unseen: packets leave the port by XDP and are seen only at the other end.
	Unseen bool
	// UDP is the port whose datagrams alone a Tap copies, where others use the link, too; 0: all packets.
	UDP uint16
}

// frame is a copied packet.
type frame struct {
	at     time.Duration // since 1970
	hop    int
	out    bool // sent there, not received
	length int  // on the wire, from the Ethernet header on, without FCS
	bytes  []byte
}

// Capture runs from Tap or Trace to Close or Write.
type Capture struct {
	hops  []Hop
	limit int

	mu     sync.Mutex
	frames []frame
	taken  []int // by hop: in, out
	tapped []*tap
	chains []*chain
	ended  bool
	// Notes say what could not be captured, and why.
	Notes []string
	// Comment is written beside a frame that was sent; nil, or "": nothing is.
	Comment func(frame []byte) string
}

// New prepares a capture of the first n packets of each hop, and as many that it sends.
func New(n int) *Capture { return &Capture{limit: n} }

// add keeps a packet until its hop and direction have enough.
func (c *Capture) add(f frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	side := 2 * f.hop
	if f.out {
		side++
	}
	if c.ended || c.taken[side] >= c.limit {
		return
	}
	c.taken[side]++
	c.frames = append(c.frames, f)
}

func (c *Capture) addHop(h Hop) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hops, c.taken = append(c.hops, h), append(c.taken, 0, 0)
	return len(c.hops) - 1
}

// Tap copies what the kernel's stack sends and receives at a port, as on N4.
func (c *Capture) Tap(h Hop) error {
	t, err := openTap(h, c.addHop(h), tapBoth, c.add)
	if err != nil {
		return err
	}
	c.tapped = append(c.tapped, t)
	return nil
}

// Trace copies what passes the ports, through the stack or XDP. Call it after the UPF
// and the engine have attached their programs.
func (c *Capture) Trace(hops []Hop) error {
	first := len(c.hops)
	for _, h := range hops {
		if h.Peer >= 0 {
			h.Peer += first
		}
		c.addHop(h)
	}
	for id := first; id < len(c.hops); id++ {
		if err := c.trace(id); err != nil {
			return err
		}
	}
	return nil
}

// trace copies incoming packets before the port's XDP program, if there is one, and
// all others in the kernel's stack.
func (c *Capture) trace(id int) error {
	h, which := c.hops[id], tapBoth
	if h.Unseen {
		which = tapIn
	}
	chain, err := openChain(h.Port, id, c.limit, c.arrived)
	if err != nil {
		c.Notes = append(c.Notes, fmt.Sprintf("Packets that the XDP program at %s takes are not captured: %v", h.Name, err))
	}
	if chain != nil {
		c.chains = append(c.chains, chain)
		which = which &^ tapIn
	}
	if which == 0 {
		return nil
	}
	t, err := openTap(h, id, which, c.arrived)
	if err != nil {
		return err
	}
	c.tapped = append(c.tapped, t)
	return nil
}

// arrived keeps a packet, and also shows it at the end that sent it if nothing else
// can.
func (c *Capture) arrived(f frame) {
	if peer := c.hops[f.hop].Peer; !f.out && peer >= 0 && c.hops[peer].Unseen {
		sent := f
		sent.hop, sent.out = peer, true
		c.add(sent)
	}
	c.add(f)
}

// Close ends the copying. It may be called again.
func (c *Capture) Close() error {
	var errs []error
	for _, t := range c.tapped {
		errs = append(errs, t.close())
	}
	for _, x := range c.chains {
		errs = append(errs, x.close())
	}
	c.tapped, c.chains = nil, nil
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	return errors.Join(errs...)
}

// Write ends the copying and writes the packets, in the order of time, as a pcapng
// file.
func (c *Capture) Write(path string) error {
	if err := c.Close(); err != nil {
		return err
	}
	slices.SortStableFunc(c.frames, func(a, b frame) int { return cmp.Compare(a.at, b.at) })
	file, err := c.pcapng()
	if err == nil {
		err = safefile.Write(path, file, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the captured packets: %w", err)
	}
	return nil
}

// pcapng is a file with an interface for each hop.
func (c *Capture) pcapng() ([]byte, error) {
	var interfaces []pcap.Interface
	for _, h := range c.hops {
		interfaces = append(interfaces, pcap.Interface{Name: h.Name, MAC: h.Port.MAC})
	}
	var file bytes.Buffer
	w, err := pcap.NewWriter(&file, interfaces...)
	for _, f := range c.frames {
		way := pcap.In
		if f.out {
			way = pcap.Out
		}
		if err == nil {
			p := pcap.Packet{At: time.Unix(0, int64(f.at)), Data: f.bytes, Length: f.length, Of: f.hop, Way: way}
			if f.out && c.Comment != nil {
				p.Comment = c.Comment(f.bytes)
			}
			err = w.Write(p)
		}
	}
	return file.Bytes(), err
}
