package datanet

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// twoNamespaces makes a namespace of a UE, with a default route, and one of a data network.
func twoNamespaces(t *testing.T) (ue, dn *netdev.Namespace, port string) {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("needs root, for namespaces and BPF")
		}
		t.Skip("needs root, for namespaces and BPF")
	}
	run := host.NewRunID()
	var err error
	for role, ns := range map[string]**netdev.Namespace{"a": &ue, "dn": &dn} {
		if *ns, err = netdev.New(host.NamespaceName(run, role)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := (*ns).Close(); err != nil {
				t.Error(err)
			}
		})
	}
	port = "n6-" + run
	attrs := netlink.NewLinkAttrs()
	attrs.Name = port
	err = ue.Netlink().LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: port, PeerNamespace: netlink.NsFd(dn.FD())})
	if err != nil {
		t.Fatal(err)
	}
	for ns, at := range map[*netdev.Namespace]string{ue: "10.45.0.2/24", dn: "10.45.0.1/24"} {
		link, err := ns.Netlink().LinkByName(port)
		if err != nil {
			t.Fatal(err)
		}
		address, err := netlink.ParseAddr(at)
		if err == nil {
			err = ns.Netlink().AddrAdd(link, address)
		}
		if err == nil {
			err = ns.Netlink().LinkSetUp(link)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := ue.RouteVia(netip.MustParsePrefix("0.0.0.0/0"), netip.MustParseAddr("10.45.0.1")); err != nil {
		t.Fatal(err)
	}
	return ue, dn, port
}

// dialled remembers what the uplink was asked for, and leads to servers of the test.
type dialled struct {
	mu    sync.Mutex
	asked map[string]int
	to    map[string]string // network to address
}

func (d *dialled) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	d.asked[network+" "+address]++
	to := d.to[network]
	d.mu.Unlock()
	if to == "" {
		return nil, fmt.Errorf("nobody at %s", address)
	}
	return new(net.Dialer).DialContext(ctx, network, to)
}

// lead sets where connections of a network go.
func (d *dialled) lead(network, to string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.to[network] = to
}

// times is how often somebody was asked for.
func (d *dialled) times(what string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked[what]
}

func openTestUplink(t *testing.T) (*netdev.Namespace, *dialled) {
	t.Helper()
	ue, dn, port := twoNamespaces(t)
	own := netip.MustParseAddr("10.45.0.1")
	d := &dialled{asked: map[string]int{}, to: map[string]string{}}
	u, err := openUplink(t.Context(), dn, port, own, guard{dial: d.dial, own: machine, route: unicast}.connect)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := u.close(); err != nil {
			t.Error(err)
		}
	})
	return ue, d
}

// machine are the addresses of the machine, as net.InterfaceAddrs gives them.
func machine() ([]net.Addr, error) {
	return []net.Addr{&net.IPNet{IP: net.IPv4(192, 0, 2, 77), Mask: net.CIDRMask(24, 32)}}, nil
}

// unicast is the kind of all routes of a machine that reaches everything.
func unicast(string, netip.AddrPort) (uint8, error) { return unix.RTN_UNICAST, nil }

// What the kernel itself takes for the machine's own is refused, whatever the list of addresses
// says: a prefix that is local as a whole (AnyIP), also in a table that a rule chooses by port.
func TestUplinkAsksTheKernel(t *testing.T) {
	_, dn, port := twoNamespaces(t)
	for _, args := range [][]string{
		{"link", "set", "lo", "up"},
		{"route", "add", "default", "via", "10.45.0.2"},
		{"route", "add", "local", "198.51.100.0/24", "dev", "lo"},
		{"route", "add", "local", "192.0.2.0/25", "dev", "lo", "table", "77"},
		{"rule", "add", "ipproto", "tcp", "dport", "22", "lookup", "77", "priority", "5"},
		{"route", "add", "broadcast", "192.0.2.130", "dev", port, "table", "local"},
		{"route", "add", "unreachable", "192.0.2.140"},
	} {
		out, err := exec.Command("ip", append([]string{"-n", dn.Name}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("ip %v: %v: %s", args, err, out)
		}
	}
	nobody := func() ([]net.Addr, error) { return nil, nil }
	g := guard{own: nobody, route: routeKind}
	for to, refused := range map[string]bool{
		"tcp 198.51.100.7:22": true, "udp 198.51.100.7:53": true, "tcp 10.45.0.1:80": true, "tcp 10.45.0.255:80": true,
		"tcp 192.0.2.9:22": true, "tcp 192.0.2.9:23": false, "udp 192.0.2.9:22": false, "udp 192.0.2.130:9": true,
		"tcp 192.0.2.140:80": true, "tcp 203.0.113.7:80": false, "tcp 10.45.0.2:80": false,
	} {
		network, address, _ := strings.Cut(to, " ")
		err := dn.Do(func() error {
			if why := g.refuses(network, netip.MustParseAddrPort(address)); (why != "") != refused {
				t.Errorf("%s is refused as %q, want %v", to, why, refused)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// UEs are not led to the machine, to its neighbours that clouds put on its link, nor to all hosts
// of its networks, unless that was asked for.
func TestUplinkRefuses(t *testing.T) {
	g := guard{own: machine, route: unicast, allow: []netip.Prefix{netip.MustParsePrefix("169.254.1.0/24")}}
	for address, refused := range map[string]bool{
		"169.254.169.254": true, "169.254.1.1": false, "127.0.0.1": true, "127.8.8.8": true, "0.0.0.0": true, "0.1.2.3": true,
		"192.0.2.77": true, "192.0.2.78": false, "192.0.2.255": true, "255.255.255.255": true, "224.0.0.251": true,
		"::1": true, "fe80::1": true, "::ffff:127.0.0.1": true, "203.0.113.7": false, "10.0.0.1": false,
	} {
		if why := g.refuses("tcp", netip.AddrPortFrom(netip.MustParseAddr(address).Unmap(), 80)); (why != "") != refused {
			t.Errorf("%s is refused as %q, want %v", address, why, refused)
		}
	}
	ue, d := openTestUplink(t)
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	d.lead("tcp", s.Listener.Addr().String())
	for address, want := range map[string]int{"169.254.169.254:80": 0, "192.0.2.77:22": 0, "203.0.113.7:80": 1} {
		a, err := ue.HTTPClient(10 * time.Second).Get("http://" + address + "/")
		if err == nil {
			a.Body.Close()
		}
		if n := d.times("tcp " + address); n != want || (err == nil) != (want == 1) {
			t.Errorf("%s was asked for %d times, want %d: %v", address, n, want, err)
		}
	}
}

// Beyond the limit connections are reset, and those that are open go on.
func TestUplinkHasALimit(t *testing.T) {
	ue, d := openTestUplink(t)
	held, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	go func() {
		for {
			c, err := held.Accept()
			if err != nil {
				return
			}
			go io.Copy(c, c)
		}
	}()
	d.lead("tcp", held.Addr().String())
	echo := func(c net.Conn) error {
		b := []byte{0}
		c.SetDeadline(time.Now().Add(30 * time.Second))
		if _, err := c.Write([]byte{7}); err != nil {
			return err
		}
		_, err := io.ReadFull(c, b)
		return err
	}
	var first net.Conn
	for i := range mostConnections + 1 {
		c, err := ue.Dial(t.Context(), "tcp", "203.0.113.7:80")
		if err != nil && i == mostConnections {
			break // refused before it was through
		}
		if err != nil {
			t.Fatal(i, err)
		}
		defer c.Close()
		if first == nil {
			first = c
		}
		if err := echo(c); (err == nil) != (i < mostConnections) {
			t.Fatalf("connection %d: %v", i, err)
		}
	}
	if err := echo(first); err != nil {
		t.Errorf("the first connection: %v", err)
	}
}

func TestUplinkTCP(t *testing.T) {
	ue, d := openTestUplink(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, io.LimitReader(zeros{}, 3_000_000)) }))
	defer s.Close()
	d.lead("tcp", s.Listener.Addr().String())
	for _, host := range []string{"203.0.113.7:80", "198.51.100.9:8080"} {
		a, err := ue.HTTPClient(time.Minute).Get("http://" + host + "/")
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, a.Body)
		a.Body.Close()
		if n != 3_000_000 || err != nil || d.times("tcp "+host) != 1 {
			t.Errorf("%s: %d octets, %v, asked %v", host, n, err, d.times("tcp "+host))
		}
	}
	d.lead("tcp", "")
	if a, err := ue.HTTPClient(time.Minute).Get("http://203.0.113.8/"); err == nil {
		t.Errorf("nobody answers with %s", a.Status)
	}
}

func TestUplinkUDP(t *testing.T) {
	ue, d := openTestUplink(t)
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		b := make([]byte, 2000)
		for {
			n, from, err := server.ReadFrom(b)
			if err != nil {
				return
			}
			server.WriteTo(b[:n], from)
		}
	}()
	d.lead("udp", server.LocalAddr().String())
	c, err := ue.Dial(t.Context(), "udp", "203.0.113.7:53")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b := make([]byte, 2000)
	for i := range 5 {
		want := fmt.Sprint("question ", i)
		got := ""
		for try := 0; try < 20 && got != want; try++ { // a datagram may be lost
			c.Write([]byte(want))
			c.SetReadDeadline(time.Now().Add(time.Second))
			n, _ := c.Read(b)
			got = string(b[:n])
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if n := d.times("udp 203.0.113.7:53"); n != 1 {
		t.Errorf("%d flows, want one", n)
	}
}
