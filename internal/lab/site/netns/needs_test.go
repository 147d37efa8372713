package netns

import (
	"errors"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// built is a testbed with a claim in a folder that nobody else cleans.
func built(t *testing.T) *Testbed {
	t.Helper()
	return builtWithMTU(t, 1600)
}

func builtWithMTU(t *testing.T, mtu int) *Testbed {
	t.Helper()
	rootOnly(t)
	claim, err := host.NewClaimIn(t.TempDir(), host.NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	a := netip.MustParseAddr
	tb, err := Build(claim, site.Spec{Run: claim.Run, MTU: mtu, UEPools: []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")},
		N3: site.LinkSpec{Tester: a("192.0.2.2"), UPF: a("192.0.2.1"), Prefix: 24},
		N4: site.LinkSpec{Tester: a("203.0.113.2"), UPF: a("203.0.113.1"), Prefix: 24},
		N6: site.LinkSpec{Tester: a("198.51.100.2"), UPF: a("198.51.100.1"), Prefix: 24}})
	if err != nil {
		t.Fatal(errors.Join(err, claim.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(tb.Close(), claim.Close()); err != nil {
			t.Error(err)
		}
	})
	return tb
}

func TestProvide(t *testing.T) {
	tb := built(t)
	ip, prefix := netip.MustParseAddr, netip.MustParsePrefix
	err := tb.Provide(site.Needs{
		Sysctls: map[string]string{"ipv4/conf/all/arp_ignore": "1"},
		Tuns: []netdev.Tun{{Name: "tun7", MTU: 1400, QueueLength: 77, Address: prefix("10.46.0.1/16")},
			{Name: "tap7", TAP: true, MultiQueue: true}},
		Neighbours: []netdev.Neighbour{{Device: "tap7", IP: ip("169.254.0.1"), MAC: mac(9, 9)}},
		Routes: []netdev.Route{{To: prefix("10.47.0.0/16"), Via: ip("169.254.0.1"), Device: "tap7", OnLink: true},
			{To: prefix("10.48.0.0/16"), Device: "tun7"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for address, device := range map[string]string{"10.46.9.9": "tun7", "10.47.9.9": "tap7", "10.48.9.9": "tun7"} {
		link, err := tb.UPF().Netlink().LinkByName(device)
		if err != nil {
			t.Fatal(err)
		}
		routes, err := tb.UPF().Netlink().RouteGet(ip(address).AsSlice())
		if err != nil || len(routes) != 1 || routes[0].LinkIndex != link.Attrs().Index {
			t.Errorf("%s goes by %v, %v; want %s", address, routes, err, device)
		}
	}
	if l, _ := tb.UPF().Netlink().LinkByName("tun7"); l.Attrs().MTU != 1400 || l.Attrs().TxQLen != 77 {
		t.Errorf("tun7 is %+v", l.Attrs())
	}
	tb.UPF().Do(func() error {
		if v, _ := os.ReadFile("/proc/sys/net/ipv4/conf/all/arp_ignore"); string(v) != "1\n" {
			t.Errorf("arp_ignore is %s", v)
		}
		return nil
	})
}

func TestProvideErrors(t *testing.T) {
	tb := built(t)
	for want, n := range map[string]site.Needs{
		"this kernel has no such setting": {Sysctls: map[string]string{"ipv4/no_such": "1"}},
		"to tun9 in upflab-":              {Routes: []netdev.Route{{To: netip.MustParsePrefix("10.0.0.0/8"), Device: "tun9"}}},
		"neighbour 10.0.0.1 on tun9":      {Neighbours: []netdev.Neighbour{{Device: "tun9", IP: netip.MustParseAddr("10.0.0.1")}}},
		"/dev/net/tun":                    {Tuns: []netdev.Tun{{Name: "a-name-that-is-too-long"}}},
	} {
		if err := tb.Provide(n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q in it", n, err, want)
		}
	}
}

func TestVRF(t *testing.T) {
	tb := built(t)
	err := tb.Provide(site.Needs{VRFs: []netdev.VRF{{Name: "access", Table: 100, Devices: []string{tb.Links().UPFN3.Name}}}})
	if errors.Is(err, unix.EOPNOTSUPP) && strings.Contains(err.Error(), "CONFIG_NET_VRF") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	link, _ := tb.UPF().Netlink().LinkByIndex(tb.Links().UPFN3.Index)
	if link.Attrs().MasterIndex == 0 {
		t.Errorf("%s is in no VRF", tb.Links().UPFN3.Name)
	}
}

// A packet socket still sees what the kernel no longer answers or forwards, and
// none of it counts as dropped.
func TestSilentKernel(t *testing.T) {
	tb := built(t)
	answers := func() bool { return pings(t, tb) }
	if !answers() {
		t.Fatal("the UPF's kernel does not answer in the first place")
	}
	for range 2 { // again for a UPF that was killed and is started again
		if err := tb.Provide(site.Needs{SilentKernel: true}); err != nil {
			t.Fatal(err)
		}
	}
	seen := watch(t, tb)
	if answers() {
		t.Error("the kernel still answers")
	}
	if n := <-seen; n == 0 {
		t.Error("a packet socket sees nothing")
	}
	link, err := tb.UPF().Netlink().LinkByIndex(tb.Links().UPFN3.Index)
	if err != nil || link.Attrs().Statistics.RxDropped != 0 {
		t.Errorf("%d packets count as dropped, %v", link.Attrs().Statistics.RxDropped, err)
	}
}

// pings tells whether a datagram to a closed port of the UPF is refused.
func pings(t *testing.T, tb *Testbed) bool {
	t.Helper()
	conn, err := tb.RAN.Dial(t.Context(), "udp", netip.AddrPortFrom(tb.Links().UPFN3.Addr, 9).String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(300 * time.Millisecond))
	conn.Write([]byte("x"))
	_, err = conn.Read(make([]byte, 1))
	return errors.Is(err, unix.ECONNREFUSED)
}

// watch counts the frames that a packet socket on N3 sees within half a second.
func watch(t *testing.T, tb *Testbed) <-chan int {
	t.Helper()
	var fd int
	err := tb.UPF().Do(func() (err error) {
		const all = unix.ETH_P_ALL>>8 | unix.ETH_P_ALL<<8&0xff00
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, all); err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: tb.Links().UPFN3.Index})
	})
	if err != nil {
		t.Fatal(err)
	}
	unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 500_000})
	count := make(chan int, 1)
	go func() {
		defer unix.Close(fd)
		n := 0
		for b := make([]byte, 2000); ; n++ {
			if _, _, err := unix.Recvfrom(fd, b, 0); err != nil {
				count <- n
				return
			}
		}
	}()
	return count
}
