package site

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// built is a testbed with a claim in a folder that nobody else cleans.
func built(t *testing.T) *Testbed {
	t.Helper()
	return builtWithMTU(t, 1600)
}

func builtWithMTU(t *testing.T, mtu int) *Testbed {
	t.Helper()
	rootOnly(t)
	claim, err := newClaim(t.TempDir(), NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	a := netip.MustParseAddr
	tb, err := Build(claim, Spec{Run: claim.Run, MTU: mtu, UEPool: netip.MustParsePrefix("10.45.0.0/16"),
		N3: LinkSpec{Tester: a("192.0.2.2"), UPF: a("192.0.2.1"), Prefix: 24},
		N4: LinkSpec{Tester: a("203.0.113.2"), UPF: a("203.0.113.1"), Prefix: 24},
		N6: LinkSpec{Tester: a("198.51.100.2"), UPF: a("198.51.100.1"), Prefix: 24}})
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
	err := tb.Provide(Needs{
		Sysctls:    map[string]string{"ipv4/conf/all/arp_ignore": "1"},
		Tuns:       []Tun{{Name: "tun7", MTU: 1400, QueueLength: 77, Address: prefix("10.46.0.1/16")}, {Name: "tap7", TAP: true, MultiQueue: true}},
		Neighbours: []Neighbour{{Device: "tap7", IP: ip("169.254.0.1"), MAC: mac(9, 9)}},
		Routes:     []Route{{To: prefix("10.47.0.0/16"), Via: ip("169.254.0.1"), Device: "tap7", OnLink: true}, {To: prefix("10.48.0.0/16"), Device: "tun7"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for address, device := range map[string]string{"10.46.9.9": "tun7", "10.47.9.9": "tap7", "10.48.9.9": "tun7"} {
		link, err := tb.UPF.nl.LinkByName(device)
		if err != nil {
			t.Fatal(err)
		}
		routes, err := tb.UPF.nl.RouteGet(ip(address).AsSlice())
		if err != nil || len(routes) != 1 || routes[0].LinkIndex != link.Attrs().Index {
			t.Errorf("%s goes by %v, %v; want %s", address, routes, err, device)
		}
	}
	if l, _ := tb.UPF.nl.LinkByName("tun7"); l.Attrs().MTU != 1400 || l.Attrs().TxQLen != 77 {
		t.Errorf("tun7 is %+v", l.Attrs())
	}
	tb.UPF.Do(func() error {
		if v := read("/proc/sys/net/ipv4/conf/all/arp_ignore"); v != "1" {
			t.Errorf("arp_ignore is %s", v)
		}
		return nil
	})
}

func TestProvideErrors(t *testing.T) {
	tb := built(t)
	for want, n := range map[string]Needs{
		"this kernel has no such setting": {Sysctls: map[string]string{"ipv4/no_such": "1"}},
		"to tun9 in upflab-":              {Routes: []Route{{To: netip.MustParsePrefix("10.0.0.0/8"), Device: "tun9"}}},
		"neighbour 10.0.0.1 on tun9":      {Neighbours: []Neighbour{{Device: "tun9", IP: netip.MustParseAddr("10.0.0.1")}}},
		"/dev/net/tun":                    {Tuns: []Tun{{Name: "a-name-that-is-too-long"}}},
	} {
		if err := tb.Provide(n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q in it", n, err, want)
		}
	}
}

func TestVRF(t *testing.T) {
	tb := built(t)
	err := tb.Provide(Needs{VRFs: []VRF{{Name: "access", Table: 100, Devices: []string{tb.UPFN3.Name}}}})
	if errors.Is(err, unix.EOPNOTSUPP) && strings.Contains(err.Error(), "CONFIG_NET_VRF") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	link, _ := tb.UPF.nl.LinkByIndex(tb.UPFN3.Index)
	if link.Attrs().MasterIndex == 0 {
		t.Errorf("%s is in no VRF", tb.UPFN3.Name)
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
	if err := tb.Provide(Needs{SilentKernel: true}); err != nil {
		t.Fatal(err)
	}
	seen := watch(t, tb)
	if answers() {
		t.Error("the kernel still answers")
	}
	if n := <-seen; n == 0 {
		t.Error("a packet socket sees nothing")
	}
	link, err := tb.UPF.nl.LinkByIndex(tb.UPFN3.Index)
	if err != nil || link.Attrs().Statistics.RxDropped != 0 {
		t.Errorf("%d packets count as dropped, %v", link.Attrs().Statistics.RxDropped, err)
	}
}

// pings tells whether a datagram to a closed port of the UPF is refused.
func pings(t *testing.T, tb *Testbed) bool {
	t.Helper()
	conn, err := tb.RAN.Dial(t.Context(), "udp", netip.AddrPortFrom(tb.UPFN3.Addr, 9).String())
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
	err := tb.UPF.Do(func() (err error) {
		const all = unix.ETH_P_ALL>>8 | unix.ETH_P_ALL<<8&0xff00
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, all); err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: tb.UPFN3.Index})
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

// Huge pages go back when the testbed is closed, and when its run was killed.
func TestHugePages(t *testing.T) {
	rootOnly(t)
	if _, err := os.Stat(nrHugePages); err != nil {
		t.Skip("this kernel has no huge pages")
	}
	before, _ := readNumber(nrHugePages)
	tb := built(t)
	wanted := max(freeHugePages(), 0) + 2
	if err := tb.Provide(Needs{HugePages: wanted}); err != nil {
		t.Fatal(err)
	}
	if now, _ := readNumber(nrHugePages); now != before+2 || freeHugePages() < wanted {
		t.Errorf("there were %d huge pages, now there are %d, %d free", before, now, freeHugePages())
	}
	if err := tb.claim.returnHugePages(); err != nil {
		t.Fatal(err)
	}
	if now, _ := readNumber(nrHugePages); now != before {
		t.Errorf("given back, there are %d huge pages, want %d", now, before)
	}
}

func TestHugePagesOfKilledRun(t *testing.T) {
	c, _ := testClaim(t)
	before, err := readNumber(nrHugePages)
	if err != nil {
		t.Skip("this kernel has no huge pages")
	}
	tb := &Testbed{claim: c}
	if err := tb.hugePages(max(freeHugePages(), 0) + 1); err != nil {
		t.Fatal(err)
	}
	c.kill()
	removed, err := cleanStale(filepath.Dir(c.path))
	if now, _ := readNumber(nrHugePages); err != nil || now != before || !strings.Contains(strings.Join(removed, ","), "1 huge pages") {
		t.Errorf("there were %d huge pages, now %d; removed %v, %v", before, now, removed, err)
	}
}
