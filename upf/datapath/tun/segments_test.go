package tun

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/safchain/ethtool"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/gtpu"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/offload"
	"github.com/upflab/upflab/wire/checksum"
)

// segments are packets by scapy, and what stands for them before they are cut.
type segments struct {
	Name    string
	Merge   bool
	Whole   string
	Header  offload.Header
	Packets []string
}

func segmentsOf(t testing.TB, downlink bool) (list []segments) {
	t.Helper()
	b, err := os.ReadFile("../offload/testdata/packets.json")
	must(t, err)
	var all []segments
	must(t, json.Unmarshal(b, &all))
	for _, s := range all {
		if s.Merge && strings.Contains(s.Name, "downlink") == downlink {
			list = append(list, s)
		}
	}
	return list
}

func octets(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	must(t, err)
	return b
}

// aged is an IP packet after one hop.
func aged(t testing.TB, text string) []byte {
	b := octets(t, text)
	checksum.DecrementTTL(b)
	return b
}

// uncut makes an interface send packets as they leave the machine.
func uncut(t testing.TB, name string) {
	t.Helper()
	e, err := ethtool.NewEthtool()
	must(t, err)
	defer e.Close()
	must(t, e.Change(name, map[string]bool{
		"tx-tcp-segmentation": false, "tx-udp-segmentation": false, "tx-generic-segmentation": false, "tx-checksum-ip-generic": false,
	}))
}

// attempts are made until packets have travelled as one: the worker may be quicker than
// they come.
const attempts = 50

// TestMergedUplink: packets of a flow go into the device as one, and leave as they came.
func TestMergedUplink(t *testing.T) {
	for _, name := range []string{"tun", "tap"} {
		t.Run(name, func(t *testing.T) {
			network(t)
			uncut(t, "n6")
			d := openHere(t, kinds[name])
			l := newLab(t, d)
			for _, s := range segmentsOf(t, false) {
				before := d.Workers()[0].Joined
				for try := 0; try < attempts && d.Workers()[0].Joined == before; try++ {
					mergedUplink(t, l, s)
				}
				if d.Workers()[0].Joined == before {
					t.Errorf("%s: no packets were joined in %d attempts", s.Name, attempts)
				}
			}
		})
	}
}

func mergedUplink(t testing.TB, l lab, s segments) {
	t.Helper()
	var frames [][]byte
	for _, p := range s.Packets {
		frames = append(frames, gpdu(t, octets(t, p)))
	}
	_, err := l.n3.Send(frames)
	must(t, err)
	for i, p := range s.Packets {
		got := next(t, l.n6)
		if len(got) < 14 || !slices.Equal(got[14:], identified(aged(t, p), got)) {
			t.Errorf("%s: packet %d left as\n%x, want\n%x", s.Name, i, got, aged(t, p))
		}
	}
}

// identified gives a packet with DF the identification of another: it means nothing.
func identified(p, like []byte) []byte {
	if p[6]&0x40 != 0 && len(like) >= 34 {
		copy(p[4:6], like[18:20])
		checksum.Put(p[10:], 0)
		checksum.Put(p[10:], checksum.Finish(checksum.Sum(p[:20])))
	}
	return p
}

// gpdu is a T-PDU in a frame from the gNB, in the tunnel of the first session.
func gpdu(t testing.TB, tpdu []byte) []byte {
	t.Helper()
	return fromGNB(t, gtpu.AppendGPDU(nil, 1, nil, tpdu))
}

// fromGNB is a GTP-U message in a frame.
func fromGNB(t testing.TB, message []byte) []byte {
	t.Helper()
	const headers = 14 + 20 + 8
	b := append(slices.Clone(datapathtest.Frames(t)[0].Input(t)[:headers]), message...)
	binary.BigEndian.PutUint16(b[16:], uint16(len(b)-14))
	binary.BigEndian.PutUint16(b[38:], uint16(len(b)-34))
	binary.BigEndian.PutUint16(b[40:], 0)
	checksum.Put(b[24:], 0)
	checksum.Put(b[24:], checksum.Finish(checksum.Sum(b[14:34])))
	return b
}

// TestCutDownlink: what the device hands over as one leaves as G-PDUs that fit the link,
// with their checksums.
func TestCutDownlink(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			network(t)
			uncut(t, "n3")
			d := openHere(t, c)
			l := newLab(t, d)
			send := offloading(t, "n6p")
			for _, s := range segmentsOf(t, true) {
				cutDownlink(t, l, send, s)
			}
			joined := uint64(0)
			for _, w := range d.Workers() {
				joined += w.Joined
			}
			if joined == 0 {
				t.Error("the kernel cut all packets itself")
			}
		})
	}
}

func cutDownlink(t testing.TB, l lab, send func([]byte), s segments) {
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
	send(append(b, octets(t, s.Whole)...))
	for i, p := range s.Packets {
		const headers = 14 + 20 + 8 + 16
		got := next(t, l.n3)
		if len(got) < headers || !slices.Equal(got[headers:], aged(t, p)) {
			t.Errorf("%s: packet %d left as\n%x, want\n%x", s.Name, i, got, aged(t, p))
			continue
		}
		udp := got[34:]
		if sum := checksum.Sum(got[26:34]) + checksum.Words(17, uint16(len(udp))) + checksum.Sum(udp); udp[6]|udp[7] != 0 && checksum.Fold(sum) != 0xffff {
			t.Errorf("%s: packet %d has a wrong outer checksum", s.Name, i)
		}
	}
}

// offloading sends frames with a virtio-net header by an interface, uncut.
func offloading(t testing.TB, name string) func([]byte) {
	t.Helper()
	ifc, err := net.InterfaceByName(name)
	must(t, err)
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { unix.Close(fd) })
	must(t, unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1))
	must(t, unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: ifc.Index}))
	return func(b []byte) {
		_, err := unix.Write(fd, b)
		must(t, err)
	}
}
