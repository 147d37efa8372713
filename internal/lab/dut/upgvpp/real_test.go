package upgvpp

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site/netns"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/lab/smf"
)

// A VPP that is installed takes all commands, sessions, and questions for counters,
// in each mode that needs no hardware.
func TestReal(t *testing.T) {
	if _, err := (Driver{}).Installed(); err != nil {
		t.Skip(err)
	}
	for _, mode := range []string{afPacket, afXDP} {
		tb := sitetest.Build(t)
		i := start(t, tb, mode)
		establish(t, tb, i)
		drops, err := i.Drops()
		if err != nil {
			t.Errorf("%s: %v", mode, err)
		}
		for _, d := range drops {
			if !strings.HasPrefix(string(d.Place), "VPP: ") {
				t.Errorf("%s: %+v", mode, d)
			}
		}
		work, err := i.Work()
		if err != nil || work.Total <= 0 || work.Busy < 0 || work.Busy > work.Total {
			t.Errorf("%s: %+v, %v", mode, work, err)
		}
		if err := i.Stop(); err != nil {
			t.Error(err)
		}
	}
}

func start(t *testing.T, tb *netns.Testbed, mode string) *dut.Instance {
	t.Helper()
	e := env(mode)
	e.Site, e.Dir, e.CPUs = tb, t.TempDir(), []int{0}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	i, err := Driver{}.Start(ctx, e)
	if err != nil {
		t.Fatalf("%s: %v", mode, err)
	}
	return i
}

// establish sets ten sessions up.
func establish(t *testing.T, tb *netns.Testbed, i *dut.Instance) {
	t.Helper()
	conn, err := tb.SMF.ListenUDP(netip.AddrPortFrom(tb.Links().SMFN4.Addr, 8805))
	if err != nil {
		t.Fatal(err)
	}
	client, err := smf.Dial(smf.Config{
		Conn: conn, Peer: net.UDPAddrFromAddrPort(i.Endpoint.N4), NodeID: tb.Links().SMFN4.Addr,
		NetworkInstance: "internet", Dialect: i.Endpoint.Dialect, T1: 100 * time.Millisecond, N1: 100,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if _, err := client.Associate(ctx); err != nil {
		t.Fatalf("%v; its log: %s", err, i.LogTail())
	}
	var sessions []smf.Session
	ue := netip.MustParseAddr("10.45.0.2")
	for k := range uint32(10) {
		sessions = append(sessions, smf.Session{UE: ue, N3: tb.Links().UPFN3.Addr, GNB: tb.Links().GNB.Addr,
			UplinkTEID: 2*k + 1, DownlinkTEID: 2*k + 2, QFI: 1})
		ue = ue.Next()
	}
	if _, err := client.Establish(ctx, sessions); err != nil {
		t.Fatalf("%v; its log: %s", err, i.LogTail())
	}
}
