package tun

import (
	"encoding/binary"
	"net"
	"strconv"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// BenchmarkDevice is what no datapath over a TUN device gets below: the time of the write and of
// the kernel's forwarding, of packets of 1428 octets that leave by a device which drops them. A
// packet goes by itself, or as one with others of its UE.
func BenchmarkDevice(b *testing.B) {
	for _, together := range []int{1, 8, 32} {
		b.Run("together="+strconv.Itoa(together), func(b *testing.B) { benchmarkDevice(b, together) })
	}
}

func benchmarkDevice(b *testing.B, together int) {
	livetest.Network(b)
	drop(b)
	d := openHere(b, config(false, 1))
	var m offload.Merger
	written := 0
	for b.ResetTimer(); written < b.N; m.Reset() {
		b.StopTimer()
		for ue := range 64 {
			for i := range together {
				m.Add(append(make([]byte, room), datagram(ue, i)...)[room:])
			}
		}
		runs := m.Runs()
		b.StartTimer()
		for i := range runs {
			if err := d.device.queues[0].write(&runs[i]); err != nil {
				b.Fatal(err)
			}
			written += runs[i].Packets()
		}
	}
}

// drop leads the data network to N6, whose link is down: what is sent there is dropped at once.
func drop(b *testing.B) {
	peer, err := netlink.LinkByName("n6p")
	livetest.Must(b, err)
	livetest.Must(b, netlink.LinkSetDown(peer))
	n6, err := netlink.LinkByName("n6")
	livetest.Must(b, err)
	livetest.Must(b, netlink.RouteReplace(&netlink.Route{LinkIndex: n6.Attrs().Index, Scope: netlink.SCOPE_LINK,
		Dst: &net.IPNet{IP: net.IPv4(203, 0, 113, 0), Mask: net.CIDRMask(24, 32)}}))
}

// datagram is the i-th packet of a UE, with DF.
func datagram(ue, i int) []byte {
	p := make([]byte, 1428)
	copy(p, []byte{0x45, 0, 0, 0, 0, byte(i), 0x40, 0, 64, 17, 0, 0, 10, 45, 0, byte(ue + 2), 203, 0, 113, 1, 0x10, 0, 0x20, 0})
	binary.BigEndian.PutUint16(p[2:], uint16(len(p)))
	binary.BigEndian.PutUint16(p[24:], uint16(len(p)-20))
	checksum.Put(p[10:], checksum.Finish(checksum.Sum(p[:20])))
	pseudo := checksum.Sum(p[12:20]) + checksum.Words(17, uint16(len(p)-20))
	checksum.Put(p[26:], checksum.FinishUDP(pseudo+checksum.Sum(p[20:])))
	return p
}
