package uegateway_test

import (
	"encoding/binary"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/decap"
	"github.com/upflab/upflab/internal/lab/dut/n6"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/checksum"
)

// BenchmarkUEs sends packets through the gateway and a bare decapsulator, of one UE and
// of 10,000 in turn, and reports the CPU time a packet of each and their ratio, medians of
// short turns: what else the machine does touches both alike.
func BenchmarkUEs(b *testing.B) {
	const ues = 10000
	b.Run("uplink", func(b *testing.B) {
		l := openLab(b, decap.Driver{}, "tc", ues, nil)
		sink(b, l.site.Links().DNN6.NS, netip.AddrPortFrom(l.dn, 9))
		var frames [][]byte
		for _, u := range l.gateway.UEs() {
			frames = append(frames, packet(l.gateway.Port().MAC, u.Address, l.dn, 100))
		}
		compare(b, l.gateway.Port(), frames)
	})
	b.Run("downlink", func(b *testing.B) {
		l := openLab(b, decap.Driver{}, "tc", ues, nil)
		sink(b, l.gateway.Namespace(), netip.AddrPortFrom(netip.IPv4Unspecified(), 9))
		var frames [][]byte
		for _, u := range l.gateway.UEs() {
			frames = append(frames, packet(l.site.Links().UPFN6.MAC, l.dn, u.Address, 100))
		}
		compare(b, l.site.Links().DNN6, frames)
	})
}

// BenchmarkCeiling sends full packets of one UE through plain forwarding and through the
// gateway with a bare decapsulator, in turns, and reports the CPU time a packet of each
// and their ratio: what the gateway costs beyond the same way without GTP-U.
func BenchmarkCeiling(b *testing.B) {
	var ways []way
	for _, driver := range []dut.Driver{n6.Driver{}, decap.Driver{}} {
		mode := ""
		if len(driver.Info().Modes) > 0 {
			mode = driver.Info().Modes[0]
		}
		l := openLab(b, driver, mode, 1, nil)
		sink(b, l.site.Links().DNN6.NS, netip.AddrPortFrom(l.dn, 9))
		f := packet(l.gateway.Port().MAC, l.gateway.UEs()[0].Address, l.dn, 1472)
		copy(f, gnbMAC)
		ways = append(ways, way{l.gateway.Port(), [][]byte{f}})
	}
	took := alternate(b, ways...)
	b.ReportMetric(took[0], "ns/packet-plain")
	b.ReportMetric(took[1], "ns/packet-gateway")
	b.ReportMetric(took[0]/took[1], "rate-ratio")
}

// gnbMAC is the gNB's end of the UEs' link: forwarding takes nothing else.
var gnbMAC = net.HardwareAddr{0x02, 0x75, 0x70, 0x66, 1, 2}

// compare sends turns of the first frame and of all frames.
func compare(b *testing.B, p netdev.Port, frames [][]byte) {
	took := alternate(b, way{p, frames[:1]}, way{p, frames})
	b.ReportMetric(took[0], "ns/packet-of-1")
	b.ReportMetric(took[1], "ns/packet-of-10000")
	b.ReportMetric(took[0]/took[1], "rate-ratio")
}

// way is what is sent, and where.
type way struct {
	port   netdev.Port
	frames [][]byte
}

// alternate sends in turns and gives the median CPU time of a packet of each way, ns.
func alternate(b *testing.B, ways ...way) []float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sockets, times := make([]int, len(ways)), make([][]float64, len(ways))
	for i, w := range ways {
		sockets[i] = open(b, w.port)
		defer unix.Close(sockets[i])
	}
	for b.Loop() {
		for i, w := range ways {
			times[i] = append(times[i], turn(b, sockets[i], w.frames))
		}
	}
	var medians []float64
	for _, t := range times {
		slices.Sort(t)
		medians = append(medians, t[len(t)/2])
	}
	return medians
}

// turn sends 20,000 packets and gives the CPU time of one, ns, in this thread: what
// forwards them runs in it, too.
func turn(b *testing.B, fd int, frames [][]byte) float64 {
	const packets = 20000
	before := threadTime(b)
	for i := range packets {
		if _, err := unix.Write(fd, frames[i%len(frames)]); err != nil && err != unix.ENOBUFS {
			b.Fatal(err)
		}
	}
	return float64(threadTime(b)-before) / packets
}

func threadTime(b *testing.B) int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return t.Nano()
}

func sink(b *testing.B, ns *netdev.Namespace, at netip.AddrPort) {
	c, err := ns.ListenUDP(at)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
}

// packet is a UDP datagram to port 9.
func packet(to net.HardwareAddr, from, dst netip.Addr, payload int) []byte {
	f := make([]byte, 14+20+8+payload)
	copy(f, to)
	copy(f[6:], net.HardwareAddr{2, 0, 0, 0, 0, 1})
	f[12], f[13] = 8, 0
	ip := f[14:]
	ip[0], ip[8], ip[9] = 0x45, 64, 17
	binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
	copy(ip[12:], from.AsSlice())
	copy(ip[16:], dst.AsSlice())
	checksum.Put(ip[10:], checksum.Finish(checksum.Sum(ip[:20])))
	binary.BigEndian.PutUint16(ip[20:], 9)
	binary.BigEndian.PutUint16(ip[22:], 9)
	binary.BigEndian.PutUint16(ip[24:], uint16(len(ip)-20))
	return f
}

// open is a packet socket that sends frames at the port.
func open(b *testing.B, p netdev.Port) (fd int) {
	err := p.NS.Do(func() (err error) {
		if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0); err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: p.Index})
	})
	if err != nil {
		b.Fatal(err)
	}
	return fd
}
