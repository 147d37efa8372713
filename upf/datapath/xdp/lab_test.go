package xdp

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/xdp/inject"
	"github.com/upflab/upflab/upf/session"
)

// lab is a network namespace with N3 and N6, and a datapath on them.
type lab struct {
	ns netns.NsHandle
	dp *Datapath
}

// privileged skips a test on a laptop, and fails it in CI.
func privileged(t testing.TB) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("needs root: run the tests as root")
	}
	t.Skip("needs root, for namespaces and BPF")
}

func must(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// newNamespace makes a namespace and stays in it until the test ends.
func newNamespace(t testing.TB) netns.NsHandle {
	t.Helper()
	privileged(t)
	runtime.LockOSThread()
	home, err := netns.Get()
	must(t, "find the own namespace", err)
	name := fmt.Sprintf("upflab-xdp-%d", os.Getpid())
	ns, err := netns.NewNamed(name)
	must(t, "make namespace "+name, err)
	t.Cleanup(func() {
		must(t, "go home", netns.Set(home))
		must(t, "remove namespace "+name, netns.DeleteNamed(name))
		ns.Close()
		home.Close()
		runtime.UnlockOSThread()
	})
	return ns
}

// addPair makes a veth pair: name with the address, and its peer.
func addPair(t testing.TB, name, mac, address string) {
	t.Helper()
	own, err := net.ParseMAC(mac)
	must(t, "parse MAC", err)
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.HardwareAddr = name, own
	must(t, "add "+name, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: name + "p"}))
	addr, err := netlink.ParseAddr(address)
	must(t, "parse address", err)
	for _, n := range []string{name, name + "p"} {
		link, err := netlink.LinkByName(n)
		must(t, "find "+n, err)
		if n == name {
			must(t, "give it an address", netlink.AddrAdd(link, addr))
		}
		must(t, "set up "+n, netlink.LinkSetUp(link))
	}
}

func addNeighbour(t testing.TB, name, address, mac string) {
	t.Helper()
	setNeighbour(t, name, address, mac, netlink.NUD_PERMANENT)
}

func setNeighbour(t testing.TB, name, address, mac string, state int) {
	t.Helper()
	link, err := netlink.LinkByName(name)
	must(t, "find "+name, err)
	hw, err := net.ParseMAC(mac)
	must(t, "parse MAC", err)
	must(t, "add neighbour", netlink.NeighSet(&netlink.Neigh{
		LinkIndex: link.Attrs().Index, IP: net.ParseIP(address), HardwareAddr: hw, State: state,
	}))
}

// addIPv6 gives an interface an IPv6 address, and has the kernel send nothing of its own
// there but what is asked for.
func addIPv6(t testing.TB, name, address, neighbour, mac string) {
	t.Helper()
	conf := "/proc/sys/net/ipv6/conf/" + name + "/"
	for _, set := range [][2]string{{"addr_gen_mode", "1"}, {"accept_ra", "0"}, {"disable_ipv6", "0"}} {
		must(t, "set "+set[0], os.WriteFile(conf+set[0], []byte(set[1]), 0))
	}
	link, err := netlink.LinkByName(name)
	must(t, "find "+name, err)
	addr, err := netlink.ParseAddr(address)
	must(t, "parse address", err)
	addr.Flags = unix.IFA_F_NODAD
	must(t, "give it an IPv6 address", netlink.AddrAdd(link, addr))
	addNeighbour(t, name, neighbour, mac)
}

func addBlackhole(t testing.TB, prefix string) {
	t.Helper()
	_, dst, err := net.ParseCIDR(prefix)
	must(t, "parse prefix", err)
	must(t, "add blackhole", netlink.RouteAdd(&netlink.Route{Dst: dst, Type: 6}))
}

// buildNetwork lays out what testdata/gen.py writes frames for.
func buildNetwork(t testing.TB) netns.NsHandle {
	t.Helper()
	ns := newNamespace(t)
	// Or neighbour discovery is among the counted packets.
	must(t, "IPv6 off", os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0))
	addPair(t, "n3", "02:00:00:00:03:01", "192.0.2.1/24")
	addPair(t, "n6", "02:00:00:00:06:01", "198.51.100.1/24")
	addPair(t, "n4", "02:00:00:00:04:01", "198.18.4.1/24")
	addNeighbour(t, "n4", "198.18.4.2", "02:00:00:00:04:02")
	addNeighbour(t, "n3", "192.0.2.2", "02:00:00:00:03:02")
	addNeighbour(t, "n6", "198.51.100.2", "02:00:00:00:06:02")
	addBlackhole(t, "203.0.113.0/24")
	lo, err := netlink.LinkByName("lo")
	must(t, "find lo", err)
	must(t, "set up lo", netlink.LinkSetUp(lo))
	must(t, "IPv6 on lo", os.WriteFile("/proc/sys/net/ipv6/conf/lo/disable_ipv6", []byte("0"), 0))
	addIPv6(t, "n3", "2001:db8:3::1/64", "2001:db8:3::2", "02:00:00:00:03:02")
	addIPv6(t, "n6", "2001:db8:6::1/64", "2001:db8:6::2", "02:00:00:00:06:02")
	addBlackhole(t, "2001:db8:dead::/48")
	must(t, "IPv6 forwarding on", os.WriteFile("/proc/sys/net/ipv6/conf/all/forwarding", []byte("1"), 0))
	must(t, "forwarding on", os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0))
	return ns
}

func labConfig() Config {
	return Config{
		N3: "n3", N6: "n6", N3Address: netip.MustParseAddr("192.0.2.1"), Mode: Native, MaxSessions: 1000,
		UEPools: datapathtest.Pools(),
		N4:      N4{netip.MustParseAddrPort("198.18.4.1:8805"), "n4"},
	}
}

func newLab(t testing.TB, cfg Config) *lab {
	t.Helper()
	ns := buildNetwork(t)
	dp, err := Open(cfg)
	must(t, "Open", err)
	t.Cleanup(func() { must(t, "Close", dp.Close()) })
	return &lab{ns, dp}
}

// run gives a frame to the program of N3 or N6, as if it came from there.
func (l *lab) run(t testing.TB, program string, frame []byte) (uint32, []byte) {
	t.Helper()
	p := l.dp.ports[0]
	if program == "n6" && len(l.dp.ports) > 1 {
		p = l.dp.ports[1]
	}
	opts := ebpf.RunOptions{
		Data: frame, DataOut: make([]byte, len(frame)+256),
		Context: inject.Context{DataEnd: uint32(len(frame)), IngressIfindex: uint32(p.index)},
	}
	verdict, err := p.program.Run(&opts)
	must(t, "run "+program, err)
	return verdict, opts.DataOut
}

// runHere is run on a thread that need not be in the namespace yet.
func (l *lab) runHere(t testing.TB, program string, frame []byte) (uint32, []byte) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	home, err := netns.Get()
	must(t, "find the own namespace", err)
	defer home.Close()
	must(t, "enter the namespace", netns.Set(l.ns))
	verdict, out := l.run(t, program, frame)
	must(t, "go home", netns.Set(home))
	return verdict, out
}

// zero sets the counters, and with them the outer IP identification, to 0.
func (l *lab) zero(t testing.TB) {
	t.Helper()
	cpus, err := ebpf.PossibleCPU()
	must(t, "count CPUs", err)
	must(t, "zero counters", l.dp.objects.Totals.Put(uint32(0), make([]upfCounters, cpus)))
}

// pair is a session of an uplink and a downlink PDR.
func pair(seid uint64, ue string, teid uint32, change func(*session.Rules)) *session.Rules {
	address := netip.MustParseAddr(ue)
	r := &session.Rules{
		SEID: seid,
		PDRs: []session.PDR{
			{ID: 1, FAR: 1, RemoveOuterHeader: true,
				PDI: session.PDI{Source: session.Access, TEID: teid, HasTEID: true, UE: address}},
			{ID: 2, FAR: 2, PDI: session.PDI{Source: session.Core, UE: address}},
		},
		FARs: []session.FAR{
			{ID: 1, Action: session.Forward, Destination: session.Core},
			{ID: 2, Action: session.Forward, Destination: session.Access,
				Outer: &session.OuterHeader{TEID: teid + 1, Peer: netip.MustParseAddr("192.0.2.2")}},
		},
	}
	if change != nil {
		change(r)
	}
	return r
}

// renew makes the checksum of the IPv4 header at an offset in a frame right again, after a test
// changed the header.
func renew(frame []byte, at int) {
	checksum.SealIPv4(frame[at:])
}

func withQER(q session.QER) func(*session.Rules) {
	return func(r *session.Rules) {
		q.ID = 1
		r.QERs = []session.QER{q}
		r.PDRs[0].QERs, r.PDRs[1].QERs = []uint32{1}, []uint32{1}
	}
}

func withPeer(peer string) func(*session.Rules) {
	return func(r *session.Rules) { r.FARs[1].Outer.Peer = netip.MustParseAddr(peer) }
}

func dropAll(r *session.Rules) {
	r.FARs[0].Action = session.Drop
	r.FARs[1] = session.FAR{ID: 2, Action: session.Drop}
}

// frameSessions are the sessions of testdata/gen.py.
func frameSessions() []*session.Rules { return datapathtest.FrameSessions() }

func additions(all []*session.Rules) []datapath.Change {
	var changes []datapath.Change
	for _, r := range all {
		changes = append(changes, datapath.Change{New: r})
	}
	return changes
}
