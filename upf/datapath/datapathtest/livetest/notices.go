package livetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// noticed are the frames whose packets a router answers, and what is handed on of each.
var noticed = map[string]datapath.Notice{
	"n3 ipv6 link-local source": {SEID: 13, Uplink: true},
	"n3 ipv6 no source":         {SEID: 13, Uplink: true},
	"n3 ipv6 too big":           {SEID: 13, Uplink: true, MTU: 1500},
	"n6 ipv6 too big":           {SEID: 13, MTU: 1500 - 44},
	"n3 too big, df":            {SEID: 1, Uplink: true, MTU: 1500},
	"n3 ttl 1":                  {SEID: 1, Uplink: true, Expired: true},
	"n6 too big, df":            {SEID: 1, MTU: 1500 - 44},
	"n6 ttl 1":                  {SEID: 1, Expired: true},
	"n6 ipv6 hop limit 1":       {SEID: 13, Expired: true},
	"n3 ipv6 hop limit 1":       {SEID: 13, Uplink: true, Expired: true},
}

// Notices: packets of a UE's own link, those that do not fit, and packets from and to UEs whose TTL or hop
// limit runs out are handed on. send gives a frame of at most so many octets to N3 or N6.
func Notices(t *testing.T, d datapath.Datapath, most int, send func(program string, frame []byte)) {
	got := make(chan datapath.Notice, 10)
	d.Capabilities().OnNotice(func(n datapath.Notice) {
		n.Packet = slices.Clone(n.Packet)
		got <- n
	})
	ApplyFrames(t, d)
	for _, f := range datapathtest.Frames(t) {
		want, ok := noticed[f.Name]
		if !ok {
			continue
		}
		if f.Program == "n6" && sentByKernel(d) {
			continue // the kernel answers what it does not route to the device
		}
		frame := f.Input(t)
		if len(frame) > most {
			continue
		}
		send(f.Program, frame)
		select {
		case n := <-got:
			packet := frame[len(frame)-len(n.Packet):]
			if n.MTU > 0 { // as much of it as there was room for
				packet = tpduOf(f, frame)
				packet = packet[:min(len(packet), len(n.Packet))]
				n.Packet[7] = packet[7] // the kernel may have decremented the hop limit
			}
			if n.SEID != want.SEID || n.Uplink != want.Uplink || n.MTU != want.MTU || n.Expired != want.Expired ||
				len(n.Packet) < 40 || !slices.Equal(n.Packet, packet) {
				t.Errorf("%s: session %d, uplink %v, MTU %d, packet\n%x, want %+v and\n%x", f.Name, n.SEID, n.Uplink, n.MTU, n.Packet, want, packet)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: nothing was handed on", f.Name)
		}
	}
}

// tpduOf is the T-PDU of one of the frames above.
func tpduOf(f datapathtest.Frame, frame []byte) []byte {
	const ethernet, outer = 14, 20 + 8 + 16
	if strings.HasPrefix(f.Name, "n6") {
		return frame[ethernet:]
	}
	return frame[ethernet+outer:]
}

// ApplyFrames gives a datapath the sessions of the frames.
func ApplyFrames(t testing.TB, d datapath.Datapath) {
	t.Helper()
	var changes []datapath.Change
	for _, r := range datapathtest.FrameSessions() {
		changes = append(changes, datapath.Change{New: r})
	}
	Must(t, d.Apply(changes))
}

// SendByPorts sends frames into the interfaces of Network.
func SendByPorts(t testing.TB) func(program string, frame []byte) {
	ports := map[string]func([]byte){"n3": offloading(t, "n3p"), "n6": offloading(t, "n6p")}
	return func(program string, frame []byte) {
		ports[program](append(make([]byte, 10), frame...))
	}
}
