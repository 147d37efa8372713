package upf

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/memory"
	"github.com/upflab/upflab/upf/slowpath"
)

// loopbackConfig uses addresses of 127.0.0.0/8 that no other test uses.
func loopbackConfig() Config {
	return Config{
		N4:  N4{Address: netip.MustParseAddrPort("127.83.7.8:8805")},
		N3:  N3{Interface: "lo", Address: netip.MustParseAddr("127.83.7.9")},
		N6:  N6{Interface: "lo"},
		API: netip.MustParseAddrPort("127.83.7.10:9080"),
	}
}

// start runs a UPF on loopback; the function it returns ends it.
func start(t *testing.T, dp datapath.Datapath) (*UPF, func() error) {
	t.Helper()
	u, err := New(loopbackConfig(), dp, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- u.Run(ctx) }()
	return u, func() error { cancel(); return <-done }
}

func TestRun(t *testing.T) {
	dp := memory.New(0)
	dp.SetCounters(datapath.Counters{
		Uplink: datapath.Direction{Packets: 3, Bytes: 300},
		Drops:  map[datapath.Reason]uint64{datapath.ReasonUnknownTEID: 2},
	})
	_, stop := start(t, dp)

	heartbeat := []byte{0x20, 1, 0, 12, 0, 0, 1, 0, 0, 96, 0, 4, 0, 0, 0, 1}
	if got := ask(t, "127.83.7.8:8805", heartbeat); got[1] != 2 {
		t.Errorf("heartbeat answered with %x", got)
	}
	if got := ask(t, "127.83.7.9:2152", gtpu.AppendEchoRequest(nil, 7)); !bytes.Equal(got, gtpu.AppendEchoResponse(nil, 7)) {
		t.Errorf("echo answered with %x", got)
	}
	c := getCounters(t)
	if c.Datapath.Uplink != (Direction{3, 300}) || c.Datapath.Drops["unknown TEID"] != 2 || c.PFCP.Heartbeats != 1 ||
		c.GTPU.EchoRequests != 1 {
		t.Errorf("GET /counters = %+v", c)
	}
	if err := stop(); err != nil {
		t.Errorf("Run: %v", err)
	}
	if !dp.Closed() {
		t.Error("Run left the datapath open")
	}
	// Everything is free again.
	_, stop = start(t, memory.New(0))
	if err := stop(); err != nil {
		t.Errorf("second Run: %v", err)
	}
}

func ask(t *testing.T, address string, request []byte) []byte {
	t.Helper()
	conn, err := net.Dial("udp4", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	conn.Write(request)
	buf := make([]byte, 2048)
	n, err := conn.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	return buf[:n]
}

func getCounters(t *testing.T) (c Counters) {
	t.Helper()
	response, err := http.Get("http://127.83.7.10:9080/counters")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNoSlowPath: without a socket to send them by the datapath takes no G-PDUs out of fragments, which it
// would count as forwarded, and the log says so; with the one for IPv4 alone it takes them.
func TestNoSlowPath(t *testing.T) {
	for _, c := range []struct {
		sender *slowpath.Sender
		takes  bool
	}{{nil, false}, {&slowpath.Sender{}, true}} {
		var log bytes.Buffer
		handsOn := false
		u := &UPF{log: slog.New(slog.NewTextHandler(&log, nil)), can: datapath.Capabilities{
			OnSlow: func(func(datapath.Slow)) { handsOn = true },
			Inject: func([]byte, netip.Addr, uint8) bool { return true },
		}}
		u.openSlow(func() (*slowpath.Sender, error) { return c.sender, errors.New("refused") })
		if takes := u.can.Inject != nil; takes != c.takes || handsOn != c.takes {
			t.Errorf("with the sender %v it takes packets out of fragments: %t, hands on: %t; want %t", c.sender, takes, handsOn, c.takes)
		}
		if dropped := strings.Contains(log.String(), "G-PDUs that come in fragments are dropped"); dropped == c.takes {
			t.Errorf("with the sender %v the log is %s", c.sender, &log)
		}
	}
}

func TestPortTaken(t *testing.T) {
	other, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 83, 7, 9), Port: gtpu.Port})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	dp := memory.New(0)
	_, err = New(loopbackConfig(), dp, nil)
	if !errors.Is(err, unix.EADDRINUSE) || !strings.Contains(err.Error(), "N3 (GTP-U) on UDP 127.83.7.9:2152") {
		t.Errorf("New = %v, want that N3's port is taken", err)
	}
	if dp.Closed() {
		t.Error("New closed a datapath that it did not take")
	}
	// N4, opened before N3, is closed.
	n4, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(loopbackConfig().N4.Address))
	if err != nil {
		t.Fatal(err)
	}
	n4.Close()
}

func TestAddressOfAnotherMachine(t *testing.T) {
	cfg := loopbackConfig()
	cfg.N3.Address = netip.MustParseAddr("192.0.2.77")
	_, err := New(cfg, memory.New(0), nil)
	if !errors.Is(err, unix.EADDRNOTAVAIL) || !strings.Contains(err.Error(), "ip address add 192.0.2.77") {
		t.Errorf("New = %v, want what to do", err)
	}
}

func TestPartFails(t *testing.T) {
	broken := errors.New("broken")
	waits := func(ctx context.Context) error { <-ctx.Done(); return nil }
	fails := func(context.Context) error { return broken }
	if err := together(context.Background(), waits, fails, waits); !errors.Is(err, broken) {
		t.Errorf("together = %v, want %v", err, broken)
	}
}
