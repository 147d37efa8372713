package impair

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

func config(t testing.TB, text string) Config {
	t.Helper()
	plan, err := Parse(text)
	livetest.Must(t, err)
	return Config{
		N3: "n3", N6: "n6", N3Address: netip.MustParseAddr("192.0.2.1"), MaxSessions: 100, Plan: plan,
		UEPools: datapathtest.Pools(),
	}
}

func openHere(t testing.TB, text string) *Datapath {
	t.Helper()
	d, err := Open(config(t, text))
	livetest.Must(t, err)
	t.Cleanup(func() { livetest.Must(t, d.Close()) })
	return d
}

func TestKit(t *testing.T) {
	datapathtest.Run(t, func(t testing.TB) datapath.Datapath {
		livetest.Network(t)
		d, err := Open(config(t, ""))
		livetest.Must(t, err)
		return d
	})
}

// TestLive sends scapy's frames through the kernel: those that are forwarded come
// out as scapy has them, and the kernel does not handle what the UPF took.
func TestLive(t *testing.T) {
	livetest.Network(t)
	d := openHere(t, "")
	var changes []datapath.Change
	for _, r := range datapathtest.FrameSessions() {
		changes = append(changes, datapath.Change{New: r})
	}
	livetest.Must(t, d.Apply(changes))
	ports := map[string]*tpacket.Port{}
	for _, name := range []string{"n3p", "n6p"} {
		p, err := tpacket.Open(tpacket.Config{Interface: name})
		livetest.Must(t, err)
		defer p.Close()
		ports[name] = p
	}
	for _, c := range datapathtest.Frames(t) {
		in, out := ports["n3p"], ports["n6p"]
		if c.Program == "n6" {
			in, out = out, in
		}
		if c.Verdict != "redirect" {
			continue
		}
		frame := c.Input(t)
		if len(frame) > 1514 {
			continue // the links here take no more
		}
		_, err := in.Send([][]byte{frame})
		livetest.Must(t, err)
		want := c.Output(t)
		if c.Program == "n6" { // the identification counts
			want[18], want[19], want[24], want[25] = 0, 0, 0, 0
		}
		if got := next(t, out, c.Program == "n6"); !slices.Equal(got, want) {
			t.Errorf("%s: sent\n%x, want\n%x", c.Name, got, want)
		}
	}
	l, err := d.Ledger(10)
	livetest.Must(t, err)
	if l.Uplink.Totals.Forwarded == 0 || l.Uplink.Totals.Forwarded != l.Uplink.Totals.Received ||
		l.Downlink.Totals.Forwarded == 0 || l.Downlink.Missed != 0 {
		t.Errorf("ledger %+v", l)
	}
}

// next is the next IP frame at a port; with blind its identification and
// checksum are 0.
func next(t testing.TB, p *tpacket.Port, blind bool) []byte {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		f := p.Next()
		if f == nil {
			livetest.Must(t, tpacket.Wait(10*time.Millisecond, p))
			continue
		}
		got := slices.Clone(f)
		p.Release()
		if len(got) < 40 || got[12] == 0x86 && got[38] == 0xff || got[12] == 8 && got[13] == 6 {
			continue
		}
		if blind {
			got[18], got[19], got[24], got[25] = 0, 0, 0, 0
		}
		return got
	}
	return nil
}

func TestCloseTwice(t *testing.T) {
	livetest.Network(t)
	d, err := Open(config(t, "delay=1ms"))
	livetest.Must(t, err)
	livetest.Must(t, d.Close())
	livetest.Must(t, d.Close())
	if d.Apply(nil) == nil {
		t.Error("a closed datapath takes rules")
	}
	if _, err := d.Ledger(10); err == nil {
		t.Error("a closed datapath has a ledger")
	}
	again := openHere(t, "") // what was attached is gone
	if _, err := again.Counters(); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for story, change := range map[string]func(*Config){
		"one interface":   func(c *Config) { c.N6 = c.N3 },
		"no pool":         func(c *Config) { c.UEPools = nil },
		"IPv6 address":    func(c *Config) { c.N3Address = netip.IPv6Loopback() },
		"no interface":    func(c *Config) { c.N3 = "upflab-none" },
		"sessions beyond": func(c *Config) { c.MaxSessions = 1 << 30 },
	} {
		c := config(t, "")
		change(&c)
		if d, err := Open(c); err == nil {
			d.Close()
			t.Errorf("%s: opened", story)
		}
	}
}
