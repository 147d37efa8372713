package n4faults

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/upf/datapath/memory"
	"github.com/upflab/upflab/upf/n4"
)

// serve runs the reference UPF's N4 on loopback, lying.
func serve(t *testing.T, k Kind) net.Addr {
	t.Helper()
	n3 := netip.MustParseAddr("127.0.0.3")
	server, err := n4.New(n4.Config{NodeID: "127.0.0.1", N4: netip.MustParseAddr("127.0.0.1"), N3: n3, Datapath: memory.New(0)})
	if err != nil {
		t.Fatal(err)
	}
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := k.Wrap(socket, n3)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { server.Serve(ctx, conn) })
	t.Cleanup(func() { cancel(); running.Wait(); conn.Close() })
	return socket.LocalAddr()
}

// establish has two sessions established, whose F-TEIDs the UPF chooses.
func establish(t *testing.T, upf net.Addr) *smf.Client {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, err := smf.Dial(smf.Config{Conn: conn, Peer: upf, NodeID: netip.MustParseAddr("127.0.0.1"),
		Dialect: smf.Standard(), T1: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.Associate(t.Context()); err != nil {
		t.Fatal(err)
	}
	gnb := netip.MustParseAddr("127.0.0.4")
	if _, err := c.Establish(t.Context(), []smf.Session{
		{Index: 0, UE: netip.MustParseAddr("10.45.0.2"), GNB: gnb, DownlinkTEID: 1, QFI: 1},
		{Index: 1, UE: netip.MustParseAddr("10.45.0.3"), GNB: gnb, DownlinkTEID: 2, QFI: 1},
	}); err != nil {
		t.Fatal(err)
	}
	return c
}

// A finding that a busy machine can cause, and that some lies lead to.
const innocent = smf.FindingRepeated

func TestEachLieIsFound(t *testing.T) {
	for _, k := range append(Kinds(), "") {
		t.Run(string(k), func(t *testing.T) {
			c := establish(t, serve(t, k))
			if _, err := c.Heartbeat(t.Context()); err != nil { // comes after all answers
				t.Fatal(err)
			}
			var codes []string
			for _, f := range c.Findings() {
				if f.Code != innocent || k.Finding() == innocent {
					codes = append(codes, f.Code)
				}
			}
			if got := strings.Join(codes, " "); got != k.Finding() {
				t.Errorf("found %q, want %q", got, k.Finding())
			}
		})
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]struct {
		rest string
		kind Kind
	}{
		"":                              {"", ""},
		"loss=0.1,delay=1ms":            {"loss=0.1,delay=1ms", ""},
		"n4=no-seid":                    {"", NoSEID},
		"loss=0.1, n4=lost ,delay=1ms":  {"loss=0.1,delay=1ms", Lost},
		"loss=0.1,n4=doubled,delay=1ms": {"loss=0.1,delay=1ms", Doubled},
	} {
		rest, kind, err := Split(text)
		if err != nil || rest != want.rest || kind != want.kind {
			t.Errorf("%q: %q, %q, %v", text, rest, kind, err)
		}
	}
	for text, want := range map[string]string{
		"n4=wrong-said":      "n4=wrong-said: there is no such fault; there are:\n  wrong-seid ",
		"n4=lost,n4=doubled": "given twice",
	} {
		if _, _, err := Split(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}
