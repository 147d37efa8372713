package behaviour

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/scenario"
)

// Lab is a UPF with everything around it.
type Lab interface {
	Net() Net
	Dialect() smf.Dialect
	// Ports: On has f called for each IP packet that arrives; f may keep it.
	N3() Port
	N6() Port
	// DialN4 opens the SMF's socket. upf is where the UPF listens.
	DialN4() (conn net.PacketConn, upf net.Addr, err error)
	// Alive is nil while the UPF runs, else the error that says how it ended.
	Alive() error
	// Restart brings a UPF up again that has ended or does not answer.
	Restart(ctx context.Context) error
	// Capture copies the packets of N3, N4 and N6 until stop is called, which writes
	// them to a file, with a comment beside each that was sent, or drops them where path is empty.
	Capture() (stop func(path string, comment func(frame []byte) string) error, err error)
	// Capabilities says what else it can do.
	Capabilities() Capabilities
}

// Capabilities are what a Lab can do besides. A nil function says that it cannot.
type Capabilities struct {
	// Stream sends from inside the kernel, far faster than by packet sockets, and says what became of each
	// packet, in the order in which they were sent.
	Stream func(ctx context.Context, s Stream) ([]Fate, error)
	// DialStranger opens a second SMF's socket. own is false where it has the first one's address: it
	// then is the same node.
	DialStranger func() (conn net.PacketConn, node netip.Addr, own bool, err error)
	// Footprint is what all processes of the UPF have of their machine; zero where they are not known.
	Footprint func() (Footprint, error)
	// Unread is how many datagrams the UPF's sockets had no room for since it was started.
	Unread func() (uint64, error)
	// Holdings counts what the UPF has of its machine.
	Holdings func() (Holdings, error)
	// IPsec is the protection of N3; nil: it has none.
	IPsec *IPsec
	// Accounts are the counts that the UPF gives of what it does.
	Accounts dut.Accounts
}

// IPsec is the protection of N3 by ESP. The tester's end seals what N3 sends and opens what arrives.
type IPsec struct {
	// Tamper has f make the frames of each sealed packet that is sent; nil: it is sent as it is.
	Tamper func(f func(sealed []byte) [][]byte)
	// Bare has packets sent as they are, without protection.
	Bare func(on bool)
	// Seen counts what has arrived from the UPF so far: ESP that was opened, and GTP-U that was not protected.
	Seen func() (sealed, clear int)
	// Switch takes the protection away, or brings it back, at both ends.
	Switch func(on bool) error
	// Threads has threads of the kernel receive for the UPF, or no longer. They are switched before what is measured is warmed up.
	Threads func(on bool) error
	// CPU is the time that the UPF has taken so far, with that of these threads.
	CPU func() (time.Duration, error)
}

// Footprint is what a UPF has of its machine.
type Footprint struct {
	Octets         uint64 // resident
	Threads, Files int    // Files are open descriptors
}

// Port is the tester's end of N3 or N6.
type Port interface {
	// Send sends an IP packet to the UPF.
	Send(ip []byte) error
	On(f func(ip []byte))
}

// Net is the addresses of a lab.
type Net struct {
	SMF, UPFN4 netip.Addr
	UPF        netip.Addr    // N3
	GNB        [2]netip.Addr // the second is invalid where N3 has no room for it
	NewGNBs    []netip.Addr  // further ones on N3, that the UPF has not spoken to; each is used once
	DN         [2]netip.Addr // hosts of the data network, likewise; the UPF has a route to both
	Hosts      []netip.Addr  // others, that downlink packets may come from
	Stranger   netip.Addr    // of a second SMF; invalid: there is none
	UEs        scenario.UE   // addresses of UEs that the UPF knows of
	// Lacks says why addresses are invalid.
	Lacks []string
	// Foreign: the UPF's routes and neighbours are not upflab's, so that they have to be proven.
	Foreign bool
	MTU     int // of N3 and N6
	// UPFN6 is where tunnels on N6 end at the UPF, and N6Port those with UDP; 0: none do.
	UPFN6  netip.Addr
	N6Port uint16
	// Six are addresses of IPv6 on N3 and N6. UEs with IPv6 speak to Six.DN.
	Six      Net6
	Instance string
}

// Net6 is the addresses of IPv6 on the links of a lab. They are invalid where it has none that
// the UPF is configured for.
type Net6 struct {
	UPF, GNB  netip.Addr // N3
	UPFN6, DN netip.Addr // N6, where tunnels end
}

// Peer is the host of the data network that packets of a UE's address go to.
func (n *Net) Peer(ue netip.Addr) netip.Addr {
	if ue.Is6() {
		return n.Six.DN
	}
	return n.DN[0]
}
