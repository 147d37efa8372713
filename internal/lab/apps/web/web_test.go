package web

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"
)

func dial(ctx context.Context, from netip.Addr, to netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))}
	return d.DialContext(ctx, "tcp", to.String())
}

var localhost = netip.MustParseAddr("127.0.0.1")

func serve(t *testing.T) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := Serve(l)
	t.Cleanup(func() { s.Close() })
	return l.Addr().(*net.TCPAddr).AddrPort()
}

func TestFetch(t *testing.T) {
	f := Fetch(t.Context(), dial, localhost, serve(t), Path(100_000))
	if f.Err != nil || f.Octets != 100_000 {
		t.Fatalf("%d octets, %v", f.Octets, f.Err)
	}
	if f.Connect <= 0 || f.FirstByte < f.Connect || f.Complete < f.FirstByte {
		t.Errorf("connected %v, first byte %v, complete %v", f.Connect, f.FirstByte, f.Complete)
	}
}

func TestFetchFails(t *testing.T) {
	at := serve(t)
	if f := Fetch(t.Context(), dial, localhost, at, "/page?octets=-1"); f.Err == nil {
		t.Error("a page of -1 octets was answered")
	}
	if f := Fetch(t.Context(), dial, localhost, netip.AddrPortFrom(localhost, 1), Path(1)); f.Err == nil {
		t.Error("a page came from where there is no server")
	}
}

// A server that never answers ends with the context.
func TestFetchStalls(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if f := Fetch(ctx, dial, localhost, l.Addr().(*net.TCPAddr).AddrPort(), Path(1)); f.Err == nil {
		t.Error("a page came from a server that says nothing")
	}
}
