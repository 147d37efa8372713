package livetest

import (
	"encoding/hex"
	"encoding/json"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/socket/ethtool"
	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// Segments are packets by scapy, and what stands for them before they are cut.
type Segments struct {
	Name    string
	Merge   bool
	Whole   string
	Header  offload.Header
	Packets []string
}

// SegmentsOf gives those of a direction that can be merged.
func SegmentsOf(t testing.TB, downlink bool) (list []Segments) {
	t.Helper()
	b, err := os.ReadFile(datapathtest.File(t, "internal/socket/offload/testdata/packets.json"))
	Must(t, err)
	var all []Segments
	Must(t, json.Unmarshal(b, &all))
	for _, s := range all {
		if s.Merge && strings.Contains(s.Name, "downlink") == downlink {
			list = append(list, s)
		}
	}
	return list
}

// Octets reads hex.
func Octets(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	Must(t, err)
	return b
}

// Aged is an IP packet after one hop.
func Aged(t testing.TB, text string) []byte {
	b := Octets(t, text)
	checksum.DecrementTTL(b)
	return b
}

// Uncut makes an interface send packets as they leave the machine.
func Uncut(t testing.TB, name string) {
	t.Helper()
	Must(t, ethtool.SetFeatures(name, map[string]bool{
		"tx-tcp-segmentation": false, "tx-udp-segmentation": false, "tx-generic-segmentation": false, "tx-checksum-ip-generic": false,
	}))
}

// CutDownlink gives a datapath what the kernel has not cut: it leaves as G-PDUs that fit
// the link, with their checksums. N3 is to be Uncut.
func CutDownlink(t *testing.T, d datapath.Datapath) {
	l := NewLab(t, d)
	send := offloading(t, "n6p")
	for _, s := range SegmentsOf(t, true) {
		cutDownlink(t, l, send, s)
	}
}

func cutDownlink(t testing.TB, l Lab, send func([]byte), s Segments) {
	t.Helper()
	h := s.Header
	h.HeaderBytes += 14
	h.SumFrom += 14
	b := make([]byte, offload.HeaderBytes, 8192)
	h.Put(b)
	for _, f := range datapathtest.Frames(t) {
		if f.Program == "n6" && f.Verdict == "redirect" {
			b = append(b, f.Input(t)[:14]...)
			break
		}
	}
	send(append(b, Octets(t, s.Whole)...))
	for i, p := range s.Packets {
		const headers = 14 + 20 + 8 + 16
		got := Next(t, l.N3)
		if len(got) < headers || !slices.Equal(got[headers:], Aged(t, p)) {
			t.Errorf("%s: packet %d left as\n%x, want\n%x", s.Name, i, got, Aged(t, p))
			continue
		}
		udp := got[34:]
		if sum := checksum.Sum(got[26:34]) + checksum.Words(17, uint16(len(udp))) +
			checksum.Sum(udp); udp[6]|udp[7] != 0 && checksum.Fold(sum) != 0xffff {
			t.Errorf("%s: packet %d has a wrong outer checksum", s.Name, i)
		}
	}
}

// offloading sends frames with a virtio-net header by an interface, uncut.
func offloading(t testing.TB, name string) func([]byte) {
	t.Helper()
	ifc, err := net.InterfaceByName(name)
	Must(t, err)
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	Must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	Must(t, unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1))
	Must(t, unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: ifc.Index}))
	return func(b []byte) {
		_, err := unix.Write(fd, b)
		Must(t, err)
	}
}
