package netns_test

import (
	"errors"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/netns"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

func stateFile(run string) string { return "/run/upflab/" + run + ".json" }

// nothingLeft checks that no namespace, device or file of a run is there.
func nothingLeft(t *testing.T, run string) {
	t.Helper()
	for _, name := range sitetest.Left(run) {
		t.Errorf("namespace %s is left", name)
	}
	links, err := netlink.LinkList()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if strings.HasSuffix(l.Attrs().Name, run) {
			t.Errorf("device %s is left", l.Attrs().Name)
		}
	}
	if _, err := os.Stat(stateFile(run)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", stateFile(run), err)
	}
}

func newClaim(t *testing.T) *host.Claim {
	t.Helper()
	sitetest.Privileged(t)
	c, err := host.NewClaim(host.NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCloseLeavesNothing(t *testing.T) {
	claim := newClaim(t)
	start := time.Now()
	tb, err := netns.Build(claim, sitetest.Spec(claim.Run))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(sitetest.Left(claim.Run)); n != 4 {
		t.Errorf("%d namespaces were made, want 4", n)
	}
	if err := errors.Join(tb.Close(), claim.Close()); err != nil {
		t.Error(err)
	}
	t.Logf("built and removed in %v", time.Since(start))
	nothingLeft(t, claim.Run)
}

func TestTwoAtOnce(t *testing.T) {
	one, two := sitetest.Build(t), sitetest.Build(t)
	for _, tb := range []*netns.Testbed{one, two} {
		exchange(t, tb)
	}
	if one.Links().GNB.Name == two.Links().GNB.Name {
		t.Errorf("both name N3 %s: their NAPI threads could not be told apart", one.Links().GNB.Name)
	}
}

// exchange sends a datagram from the SMF to the UPF over N4 and back.
func exchange(t *testing.T, tb *netns.Testbed) {
	t.Helper()
	at := netip.AddrPortFrom(tb.Links().UPFN4.Addr, 8805)
	upf, err := tb.UPF().ListenUDP(at)
	if err != nil {
		t.Fatal(err)
	}
	defer upf.Close()
	smf, err := tb.SMF.ListenUDP(netip.AddrPortFrom(tb.Links().SMFN4.Addr, 8805))
	if err != nil {
		t.Fatal(err)
	}
	defer smf.Close()
	deadline := time.Now().Add(5 * time.Second)
	upf.SetDeadline(deadline)
	smf.SetDeadline(deadline)
	var b [16]byte
	if _, err := smf.WriteToUDPAddrPort([]byte("ask"), at); err != nil {
		t.Fatal(err)
	}
	_, from, err := upf.ReadFromUDPAddrPort(b[:])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := upf.WriteToUDPAddrPort([]byte("answer"), from); err != nil {
		t.Fatal(err)
	}
	if n, err := smf.Read(b[:]); err != nil || string(b[:n]) != "answer" {
		t.Errorf("the SMF got %q, %v", b[:n], err)
	}
}

func TestBuildThatFailsLeavesNothing(t *testing.T) {
	for what, spoil := range map[string]func(*site.Spec){
		"an MTU that no device has":     func(s *site.Spec) { s.MTU = 70_000 },
		"the same address twice":        func(s *site.Spec) { s.N6.UPF = s.N3.UPF; s.N6.Prefix = s.N3.Prefix },
		"a gateway that is not there":   func(s *site.Spec) { s.N6.Tester = netip.MustParseAddr("203.0.113.1"); s.N6.Prefix = 32 },
		"more queues than a device has": func(s *site.Spec) { s.Queues = 1 << 20 },
	} {
		t.Run(what, func(t *testing.T) {
			claim := newClaim(t)
			spec := sitetest.Spec(claim.Run)
			spoil(&spec)
			tb, err := netns.Build(claim, spec)
			if err == nil {
				tb.Close()
				t.Error("it was built")
			} else {
				t.Log(err)
			}
			if err := claim.Close(); err != nil {
				t.Error(err)
			}
			nothingLeft(t, claim.Run)
		})
	}
}

func TestPorts(t *testing.T) {
	tb := sitetest.Build(t)
	for _, c := range []struct {
		port, peer netdev.Port
		ns         *netdev.Namespace
		mtu        int
	}{
		{tb.Links().GNB, tb.Links().UPFN3, tb.RAN, 1600}, {tb.Links().UPFN3, tb.Links().GNB, tb.UPF(), 1600},
		{tb.Links().DNN6, tb.Links().UPFN6, tb.DN, 1600}, {tb.Links().UPFN6, tb.Links().DNN6, tb.UPF(), 1600},
		{tb.Links().SMFN4, tb.Links().UPFN4, tb.SMF, 1500}, {tb.Links().UPFN4, tb.Links().SMFN4, tb.UPF(), 1500},
	} {
		nl := c.ns.Netlink()
		l, err := nl.LinkByIndex(c.port.Index)
		if err != nil {
			t.Fatal(err)
		}
		a := l.Attrs()
		if a.Name != c.port.Name || a.MTU != c.mtu || a.HardwareAddr.String() != c.port.MAC.String() || a.OperState != netlink.OperUp {
			t.Errorf("%s: %s, MTU %d, %s, %s", c.port.Name, a.Name, a.MTU, a.HardwareAddr, a.OperState)
		}
		neighbours, err := nl.NeighList(c.port.Index, unix.AF_INET)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(neighbours, func(n netlink.Neigh) bool {
			return n.State == netlink.NUD_PERMANENT && n.IP.Equal(c.peer.Addr.AsSlice()) && n.HardwareAddr.String() == c.peer.MAC.String()
		}) {
			t.Errorf("%s has no permanent neighbour %s at %s", c.port.Name, c.peer.Addr, c.peer.MAC)
		}
	}
}

// A packet for a UE whose session no UPF knows goes nowhere, not round.
func TestUnknownUEsGoNowhere(t *testing.T) {
	tb := sitetest.Build(t)
	ue := netip.MustParseAddr("10.45.0.2").AsSlice()
	routes, err := tb.DN.Netlink().RouteGet(ue)
	if err != nil || len(routes) != 1 || !routes[0].Gw.Equal(tb.Links().UPFN6.Addr.AsSlice()) {
		t.Errorf("the data network reaches UEs by %v, %v", routes, err)
	}
	if routes, err := tb.UPF().Netlink().RouteGet(ue); err == nil {
		t.Errorf("the UPF's kernel sends packets for UEs to %v", routes)
	}
	routes, err = tb.UPF().Netlink().RouteGet(netip.MustParseAddr("198.51.100.1").AsSlice())
	if err != nil || len(routes) != 1 || !routes[0].Gw.Equal(tb.Links().DNN6.Addr.AsSlice()) {
		t.Errorf("the UPF reaches the world by %v, %v", routes, err)
	}
}

func TestPinNAPI(t *testing.T) {
	tb := sitetest.Build(t)
	p := tb.Links().UPFN3
	if err := p.SetGRO(true); err != nil {
		t.Fatal(err)
	}
	pids, err := host.PinNAPI(&p, []int{0}, true)
	if err != nil || len(pids) != 1 {
		t.Fatalf("NAPI threads %v, %v; want one", pids, err)
	}
	var cpus unix.CPUSet
	if err := unix.SchedGetaffinity(pids[0], &cpus); err != nil || !cpus.IsSet(0) || cpus.Count() != 1 {
		t.Errorf("it runs on %d CPUs, %v; want CPU 0", cpus.Count(), err)
	}
	attr, err := unix.SchedGetAttr(pids[0], 0)
	if err != nil || attr.Policy != unix.SCHED_FIFO && attr.Nice != -20 {
		t.Errorf("its scheduling is %+v, %v; want real time, or nice -20 where there is none", attr, err)
	}
	if err := p.NAPI().SetThreaded(false); err != nil {
		t.Error(err)
	}
}

func TestNoXDPProgram(t *testing.T) {
	tb := sitetest.Build(t)
	if id, err := tb.Links().UPFN3.XDP().Program(); id != 0 || err != nil {
		t.Errorf("program %d, %v on a port that has none", id, err)
	}
	if _, err := (&netdev.Port{NS: tb.UPF(), Index: 1 << 20, Name: "none"}).XDP().Program(); err == nil {
		t.Error("a port that is not has no error")
	}
}
