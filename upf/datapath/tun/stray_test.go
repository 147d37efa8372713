package tun

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/gtpu"
)

// TestStrays: a G-PDU for no tunnel is handed over with its sender, and what is no G-PDU
// comes to the socket for signalling, however many workers there are.
func TestStrays(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			network(t)
			d := openHere(t, c)
			got := make(chan uint32, 10)
			d.Deliver(func(message []byte, from netip.AddrPort) {
				if from == netip.MustParseAddrPort("192.0.2.2:2152") {
					got <- binary.BigEndian.Uint32(message[4:])
				}
			})
			l := newLab(t, d)
			frame := gpdu(t, octets(t, segmentsOf(t, false)[0].Packets[0]))
			binary.BigEndian.PutUint32(frame[46:], 0xabcdef)
			_, err := l.n3.Send([][]byte{frame, fromGNB(t, gtpu.AppendEchoRequest(nil, 77))})
			must(t, err)
			select {
			case teid := <-got:
				if teid != 0xabcdef {
					t.Errorf("TEID %#x was handed over", teid)
				}
			case <-time.After(5 * time.Second):
				t.Error("nothing was handed over")
			}
			b := make([]byte, 100)
			must(t, d.Signalling().SetReadDeadline(time.Now().Add(5*time.Second)))
			n, err := d.Signalling().Read(b)
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
	network(t)
	openHere(t, config(false, 1))
	second := config(false, 1)
	second.Device = "second"
	if d, err := Open(second); err == nil {
		d.Close()
		t.Error("opened although another has the port")
	}
	if ours(t) == 0 {
		t.Error("the first one's rules are gone")
	}
}
