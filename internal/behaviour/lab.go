package behaviour

import (
	"context"
	"net"
	"net/netip"

	"github.com/upflab/upflab/internal/smf"
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
	// them to a file, or drops them where path is empty.
	Capture() (stop func(path string) error, err error)
}

// Strange is a Lab with room for a second SMF.
type Strange interface {
	// DialStranger opens the second SMF's socket. own is false where it has the first
	// one's address: it then is the same node.
	DialStranger() (conn net.PacketConn, node netip.Addr, own bool, err error)
}

// Measured is a Lab that knows what the UPF needs of its machine.
type Measured interface {
	// Footprint is of all processes of the UPF; zero where they are not known.
	Footprint() (Footprint, error)
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
	UPF        netip.Addr // N3
	GNB        [2]netip.Addr
	DN         [2]netip.Addr // hosts of the data network; the UPF has a route to both
	Pool       netip.Prefix  // UE addresses that the UPF knows of
	FirstUE    netip.Addr
	MTU        int // of N3 and N6
	Instance   string
}
