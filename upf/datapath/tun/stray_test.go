package tun

import (
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

func TestStrays(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Strays(t, openHere(t, c))
		})
	}
}

func TestNothingAllocates(t *testing.T) {
	livetest.Network(t)
	livetest.Allocations(t, openHere(t, config(false, 1)))
}

// TestSignalling: what is no G-PDU comes to its own socket, however many workers there
// are.
func TestSignalling(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			d := openHere(t, c)
			l := livetest.NewLab(t, d)
			_, err := l.N3.Send([][]byte{livetest.FromGNB(t, gtpu.AppendEchoRequest(nil, 77))})
			livetest.Must(t, err)
			b := make([]byte, 100)
			livetest.Must(t, d.sockets.Signalling.SetReadDeadline(time.Now().Add(10*time.Second)))
			n, _, err := d.sockets.Signalling.ReadFrom(b)
			if h, bad := gtpu.Parse(b[:n]); err != nil || bad != nil || h.Type != gtpu.EchoRequest || h.Sequence != 77 {
				t.Errorf("signalling is %x, %v", b[:n], err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for story, change := range map[string]func(*Config){
		"no pool":         func(c *Config) { c.UEPools = nil },
		"IPv6 pool":       func(c *Config) { c.UEPools = []netip.Prefix{netip.MustParsePrefix("2001:db8::/64")} },
		"IPv6 address":    func(c *Config) { c.N3Address = netip.IPv6Loopback() },
		"no interface":    func(c *Config) { c.N3 = "upflab-none" },
		"many sessions":   func(c *Config) { c.MaxSessions = 1 << 30 },
		"many workers":    func(c *Config) { c.Workers = 65 },
		"device is there": func(c *Config) { c.Device = "lo" },
	} {
		c := config(false, 1)
		change(&c)
		if d, err := Open(c); err == nil {
			d.Close()
			t.Errorf("%s: opened", story)
		}
	}
}

// TestPortTaken: a second UPF on the same address is refused, and leaves the first alone.
func TestPortTaken(t *testing.T) {
	livetest.Network(t)
	openHere(t, config(false, 1))
	second := config(false, 1)
	second.Device = "second"
	if d, err := Open(second); err == nil {
		d.Close()
		t.Error("opened although another has the port")
	}
	if !classified(t, "n3") {
		t.Error("the first one's classifier is gone")
	}
}
