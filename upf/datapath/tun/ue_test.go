package tun

import (
	"bytes"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// TestUEToUE: a packet for another UE comes back by the device, and goes into that one's tunnel: once, and with no
// redirect to the UE that sent it.
func TestUEToUE(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			l := livetest.NewLab(t, openHere(t, c))
			for _, f := range ueToUE {
				_, err := l.N3.Send([][]byte{livetest.Octets(t, f.in)})
				livetest.Must(t, err)
				got, want := livetest.Next(t, l.N3), livetest.Octets(t, f.message)
				if len(got) < outerBytes || !bytes.Equal(got[outerBytes:], want) {
					t.Errorf("%s: sent %x, want %x behind the outer headers", f.name, got, want)
				}
				quiet(t, f.name, l.N3)
				quiet(t, f.name, l.N6)
			}
		})
	}
}

// outerBytes are those of Ethernet, IPv4 and UDP.
const outerBytes = 14 + 20 + 8

// ueToUE are frames from the gNB to N3, and the GTP-U messages that they come back as: scapy's.
var ueToUE = []struct{ name, in, message string }{
	{"IPv4", "020000000301020000000302080045000042000100004011f6a6c0000202c000020108680868002e4e1830ff001e000000034500001e000700004011666a0a2d00030a2d000204d204d2000a796e6869",
		"34ff00260000000200000085010001004500001e000700003f11676a0a2d00030a2d000204d204d2000a796e6869"},
	{"IPv6", "020000000301020000000302080045000056000100004011f692c0000202c0000201086808680042c81630ff00320000001f60000000000a114020010db800450010000000000000000920010db800450015000000000000000504d204d2000a319e6869",
		"30ff00320000002460000000000a113f20010db800450010000000000000000920010db800450015000000000000000504d204d2000a319e6869"},
}

// quiet wants nothing more at a port.
func quiet(t *testing.T, name string, p *tpacket.Port) {
	t.Helper()
	for deadline := time.Now().Add(100 * time.Millisecond); time.Now().Before(deadline); {
		livetest.Must(t, tpacket.Wait(10*time.Millisecond, p))
		f := p.Next()
		if f == nil {
			continue
		}
		if kind := f[12:14]; bytes.Equal(kind, []byte{8, 0}) || bytes.Equal(kind, []byte{0x86, 0xdd}) && f[38] != 0xff {
			t.Errorf("%s: then came %x", name, f)
		}
		p.Release()
	}
}
