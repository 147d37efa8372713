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
	"sync"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/host"
	"github.com/upflab/upflab/internal/netdev"
)

// twoNamespaces are a UE's, with a default route, and a data network's.
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
	u, err := openUplink(t.Context(), dn, port, own, d.dial)
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
