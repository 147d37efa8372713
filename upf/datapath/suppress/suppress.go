// Package suppress keeps the kernel from routing packets past all sessions, and from
// handling those that a datapath in user space has read from a packet socket, which gets
// copies: a classifier at the ingress of N3 and N6 ends them.
package suppress

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
)

// MaxPools is how many ranges of UE addresses there may be.
const MaxPools = 16

// name is that of the classifiers, as `tc filter` shows them: one for all datapaths, so that
// each replaces what another one left.
const name = "upf-suppress"

// Link is an interface. With the index 0 nothing is attached there.
type Link struct {
	Name  string
	Index int
}

// Config says which packets are the datapath's: G-PDUs to the N3 address at N3,
// packets to UEs, and in tunnels, at N6.
type Config struct {
	N3, N6 Link
	// KernelTakes leaves the datapath's packets to the kernel's sockets and routes; all
	// others that it would route are dropped.
	KernelTakes bool
	N3Address   netip.Addr // IPv4
	// N3Address6 is the IPv6 one; invalid where there is none.
	N3Address6 netip.Addr
	// Tunnels is where those on N6 end.
	Tunnels datapath.N6Tunnels
	UEPools []netip.Prefix // at most MaxPools
}

// Suppressor is attached until it is closed.
type Suppressor struct {
	objects suppressObjects
	kernel  *netlink.Handle
	qdiscs  []netlink.Qdisc
	claims  []int // sockets
}

// Open attaches to both ports, in the namespace of the calling thread. Root is needed,
// or CAP_BPF and CAP_NET_ADMIN.
func Open(c Config) (*Suppressor, error) {
	s := &Suppressor{}
	if err := s.load(c); err != nil {
		return nil, fmt.Errorf("load the classifier: %w: root is needed, or CAP_BPF and CAP_NET_ADMIN", err)
	}
	var err error
	if s.kernel, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return nil, errors.Join(fmt.Errorf("open netlink: %w", err), s.Close())
	}
	for _, at := range []struct {
		link    Link
		program *ebpf.Program
	}{{c.N3, s.objects.EndN3}, {c.N6, s.objects.EndN6}} {
		if at.link.Index == 0 {
			continue
		}
		if err := s.attach(at.link.Index, at.program); err != nil {
			return nil, errors.Join(fmt.Errorf("attach to the ingress of %s: %w: `tc qdisc del dev %s clsact` frees it",
				at.link.Name, err, at.link.Name), s.Close())
		}
	}
	return s, nil
}

func (s *Suppressor) load(c Config) error {
	spec, err := loadSuppress()
	if err != nil {
		return err
	}
	var four [MaxPools]suppressPool
	var six [MaxPools]suppressPool6
	var n, m uint32
	for _, p := range c.UEPools {
		if p.Addr().Is4() {
			four[n].Address = asRead(p.Masked().Addr())
			four[n].Mask = binary.NativeEndian.Uint32(binary.BigEndian.AppendUint32(nil, ^uint32(0)<<(32-p.Bits())))
			n++
			continue
		}
		six[m].Address, six[m].Mask = words(p.Masked().Addr().As16()), words([16]byte(net.CIDRMask(p.Bits(), 128)))
		m++
	}
	err = errors.Join(
		spec.Variables[suppressVarN3Address].Set(asRead(c.N3Address)),
		spec.Variables[suppressVarN3Address6].Set(wordsOf(c.N3Address6)),
		spec.Variables[suppressVarN6Address].Set(asRead(c.Tunnels.Address)),
		spec.Variables[suppressVarN6Address6].Set(wordsOf(c.Tunnels.Address6)),
		spec.Variables[suppressVarN6Port].Set(c.Tunnels.Port<<8|c.Tunnels.Port>>8),
		spec.Variables[suppressVarPoolCount].Set(n), spec.Variables[suppressVarPools].Set(four),
		spec.Variables[suppressVarKernelTakes].Set(c.KernelTakes),
		spec.Variables[suppressVarPool6Count].Set(m), spec.Variables[suppressVarPools6].Set(six),
	)
	if err != nil {
		return err
	}
	return spec.LoadAndAssign(&s.objects, nil)
}

// asRead gives an IPv4 address as a program reads it from a packet; 0 for none.
func asRead(a netip.Addr) uint32 {
	if !a.IsValid() {
		return 0
	}
	b := a.As4()
	return binary.NativeEndian.Uint32(b[:])
}

// wordsOf are those of an IPv6 address; 0 for none.
func wordsOf(a netip.Addr) (none [2]uint64) {
	if !a.IsValid() {
		return none
	}
	return words(a.As16())
}

// words are 16 octets as a program reads them from a packet.
func words(b [16]byte) [2]uint64 {
	return [2]uint64{binary.NativeEndian.Uint64(b[:8]), binary.NativeEndian.Uint64(b[8:])}
}

// clsact is what classifiers of an interface are attached to.
func clsact(index int) *netlink.Clsact {
	return &netlink.Clsact{QdiscAttrs: netlink.QdiscAttrs{
		LinkIndex: index, Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT,
	}}
}

func (s *Suppressor) attach(index int, program *ebpf.Program) error {
	qdisc := clsact(index)
	if err := s.claim(index); err != nil {
		return fmt.Errorf("another UPF is there: %w", err)
	}
	err := s.kernel.QdiscAdd(qdisc)
	if errors.Is(err, unix.EEXIST) {
		if err = s.removeStale(index); err == nil {
			err = s.kernel.QdiscAdd(qdisc)
		}
	}
	if err != nil {
		return err
	}
	s.qdiscs = append(s.qdiscs, qdisc)
	return s.kernel.FilterAdd(&netlink.BpfFilter{
		FilterAttrs: netlink.FilterAttrs{
			LinkIndex: index, Parent: netlink.HANDLE_MIN_INGRESS, Handle: 1, Protocol: unix.ETH_P_ALL, Priority: 1,
		},
		Fd: program.FD(), Name: name, DirectAction: true,
	})
}

// Close detaches. An interface that is gone has taken its classifiers with it.
func (s *Suppressor) Close() error {
	errs := []error{s.objects.Close()}
	for _, q := range s.qdiscs {
		if err := s.kernel.QdiscDel(q); err != nil && !errors.Is(err, unix.ENODEV) {
			errs = append(errs, fmt.Errorf("detach the classifier: %w", err))
		}
	}
	if s.kernel != nil {
		s.kernel.Close()
	}
	for _, fd := range s.claims {
		errs = append(errs, unix.Close(fd))
	}
	return errors.Join(errs...)
}
