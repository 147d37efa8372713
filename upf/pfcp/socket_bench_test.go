package pfcp

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/upf/datapath/xdp"
)

// benchWindow is how many requests wait for their answers at once.
const benchWindow = 64

// BenchmarkSocket establishes b.N sessions and then modifies each, through a UDP socket and into
// the maps of the kernel: a plain session has a QER with the QFI, a limited one an MBR and a
// URR, too. The client runs in the same process; it costs two system calls a request.
// The octets are of the process's heap, and of the kernel's maps where they grow.
//
//	go test ./upf/pfcp -run '^$' -bench Socket -benchtime 50000x -cpu 1
func BenchmarkSocket(b *testing.B) {
	for _, kind := range []struct {
		name    string
		limited bool
	}{{"plain", false}, {"limited", true}} {
		b.Run(kind.name+"/establish", func(b *testing.B) { benchSocket(b, kind.limited, false) })
		b.Run(kind.name+"/modify", func(b *testing.B) { benchSocket(b, kind.limited, true) })
	}
}

func benchSocket(b *testing.B, limited, modify bool) {
	c := startSocket(b, b.N)
	heap, maps := heapOctets(), mapOctets(b)
	if modify {
		b.StopTimer()
	}
	b.ResetTimer()
	cpu := cpuTime(b)
	c.establish(establishmentTemplate(b, limited), b.N)
	if modify {
		b.StartTimer()
		cpu = cpuTime(b)
		c.modify(b.N)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64(cpuTime(b)-cpu)/float64(b.N), "cpu-ns/request")
	b.ReportMetric(float64(heapOctets()-heap)/float64(b.N), "heap-B/session")
	b.ReportMetric(float64(mapOctets(b)-maps)/float64(b.N), "map-B/session")
	runtime.KeepAlive(c)
}

func heapOctets() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// cpuTime is what the process used, of the server and the client together.
func cpuTime(t testing.TB) int64 {
	t.Helper()
	var u unix.Rusage
	livetest.Must(t, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return u.Utime.Nano() + u.Stime.Nano()
}

// mapOctets is what the kernel says of the BPF maps that the process holds.
func mapOctets(t testing.TB) (sum int64) {
	t.Helper()
	fds, err := filepath.Glob("/proc/self/fd/*")
	livetest.Must(t, err)
	for _, fd := range fds {
		if link, _ := os.Readlink(fd); link != "anon_inode:bpf-map" {
			continue
		}
		text, err := os.ReadFile("/proc/self/fdinfo/" + filepath.Base(fd))
		livetest.Must(t, err)
		for line := range strings.Lines(string(text)) {
			if value, ok := strings.CutPrefix(line, "memlock:"); ok {
				n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
				livetest.Must(t, err)
				sum += n
			}
		}
	}
	return sum
}

// socketClient is a CP function on a socket that reads of an answer only what it needs.
type socketClient struct {
	b     *testing.B
	conn  net.Conn
	seq   uint32
	seids []uint64 // the UP function's
}

// startSocket serves a datapath xdp with room for so many sessions.
func startSocket(b *testing.B, sessions int) *socketClient {
	livetest.Network(b)
	lo, err := netlink.LinkByName("lo")
	livetest.Must(b, err)
	livetest.Must(b, netlink.LinkSetUp(lo))
	n3 := netip.MustParseAddr("192.0.2.1")
	dp, err := xdp.Open(xdp.Config{N3: "n3", N6: "n6", N3Address: n3, MaxSessions: max(sessions, 1024)})
	livetest.Must(b, err)
	s, err := New(Config{NodeID: "192.0.2.1", N4: n3, N3: n3, Datapath: dp, MaxSessions: max(sessions, 1024)})
	livetest.Must(b, err)
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(n3, 8805)))
	livetest.Must(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, conn) }()
	client, err := net.Dial("udp4", conn.LocalAddr().String())
	livetest.Must(b, err)
	b.Cleanup(func() {
		cancel()
		livetest.Must(b, <-done)
		conn.Close()
		client.Close()
		livetest.Must(b, dp.Close())
	})
	c := &socketClient{b: b, conn: client}
	c.drive(1, func(int) []byte {
		return octetsOf(b, message.NewAssociationSetupRequest(0, ie.NewNodeIDHeuristic("smf.example.org"), ie.NewRecoveryTimeStamp(time.Now())))
	}, nil)
	return c
}

func octetsOf(b *testing.B, m message.Message) []byte {
	octets := make([]byte, m.MarshalLen())
	livetest.Must(b, m.MarshalTo(octets))
	return octets
}

// drive sends n requests, a window at once, and gives each accepted answer to got.
func (c *socketClient) drive(n int, request func(i int) []byte, got func(i int, answer []byte)) {
	c.b.Helper()
	first, buf := c.seq+1, make([]byte, 2048)
	send := func(i int) {
		r := request(i)
		c.seq++
		at := 4
		if r[0]&1 != 0 { // with a SEID
			at = 12
		}
		r[at], r[at+1], r[at+2] = byte(c.seq>>16), byte(c.seq>>8), byte(c.seq)
		if _, err := c.conn.Write(r); err != nil {
			c.b.Fatal(err)
		}
	}
	sent := 0
	for ; sent < min(n, benchWindow); sent++ {
		send(sent)
	}
	for answered := range n {
		c.conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		size, err := c.conn.Read(buf)
		if err != nil {
			c.b.Fatalf("%d of %d answers: %v", answered, n, err)
		}
		at := 4
		if buf[0]&1 != 0 {
			at = 12
		}
		seq := uint32(buf[at])<<16 | uint32(buf[at+1])<<8 | uint32(buf[at+2])
		if cause := findIE(buf[at+4:size], ie.Cause); len(cause) != 1 || cause[0] != ie.CauseRequestAccepted {
			c.b.Fatalf("answer %d: cause %v", answered, cause)
		}
		if got != nil {
			got(int(seq-first), buf[at+4:size])
		}
		if sent < n {
			send(sent)
			sent++
		}
	}
}

// findIE is the first IE of a type.
func findIE(b []byte, typ uint16) []byte {
	for len(b) >= 4 {
		length := int(binary.BigEndian.Uint16(b[2:]))
		if binary.BigEndian.Uint16(b) == typ {
			return b[4 : 4+length]
		}
		b = b[4+length:]
	}
	return nil
}

func (c *socketClient) establish(template []byte, n int) {
	ue, teid := netip.MustParseAddr("10.255.255.254").As4(), []byte{0xfe, 0xfd, 0xfc, 0xfb}
	var ues []int
	for at := indexOf(template, ue[:], 0); at >= 0; at = indexOf(template, ue[:], at+4) {
		ues = append(ues, at)
	}
	teidAt, gnbAt := indexOf(template, teid, 0), indexOf(template, []byte{0xee, 0xed, 0xec, 0xeb}, 0)
	c.seids = make([]uint64, n)
	c.drive(n, func(i int) []byte {
		for _, at := range ues {
			binary.BigEndian.PutUint32(template[at:], 10<<24+uint32(i)+2)
		}
		binary.BigEndian.PutUint32(template[teidAt:], uint32(i)+1)
		binary.BigEndian.PutUint32(template[gnbAt:], uint32(i)+1)
		return template
	}, func(i int, answer []byte) { c.seids[i] = binary.BigEndian.Uint64(findIE(answer, ie.FSEID)[1:]) })
}

// modify moves each session to another gNB, as a handover does.
func (c *socketClient) modify(n int) {
	template := octetsOf(c.b, message.NewSessionModificationRequest(0, 0, 1, 0, 0,
		ie.NewUpdateFAR(ie.NewFARID(2), ie.NewUpdateForwardingParameters(ie.NewOuterHeaderCreation(0x0100, 0xeeedeceb, "192.0.2.3", "", 0, 0, 0)))))
	gnbAt := indexOf(template, []byte{0xee, 0xed, 0xec, 0xeb}, 0)
	c.drive(n, func(i int) []byte {
		binary.BigEndian.PutUint64(template[4:], c.seids[i])
		binary.BigEndian.PutUint32(template[gnbAt:], uint32(i)+1)
		return template
	}, nil)
}

// establishmentTemplate is a request for a session of two PDRs.
func establishmentTemplate(b *testing.B, limited bool) []byte {
	var urr []*ie.IE
	qer := []*ie.IE{ie.NewQERID(1), ie.NewGateStatus(0, 0), ie.NewQFI(1)}
	if limited {
		urr, qer = []*ie.IE{ie.NewURRID(1)}, append(qer, ie.NewMBR(100_000_000, 100_000_000))
	}
	pdr := func(id uint16, far uint32, pdi *ie.IE, more ...*ie.IE) *ie.IE {
		ies := append([]*ie.IE{ie.NewPDRID(id), ie.NewPrecedence(255), pdi, ie.NewFARID(far), ie.NewQERID(1)}, urr...)
		return ie.NewCreatePDR(append(ies, more...)...)
	}
	ies := []*ie.IE{ie.NewNodeIDHeuristic("smf.example.org"), ie.NewFSEID(77, net.IPv4(127, 0, 0, 7), nil),
		pdr(1, 1, ie.NewPDI(ie.NewSourceInterface(ie.SrcInterfaceAccess), ie.NewFTEID(1, 0xfefdfcfb, net.IPv4(192, 0, 2, 1), nil, 0),
			ie.NewUEIPAddress(2, "10.255.255.254", "", 0, 0)), ie.NewOuterHeaderRemoval(0, 0)),
		pdr(2, 2, ie.NewPDI(ie.NewSourceInterface(ie.SrcInterfaceCore), ie.NewUEIPAddress(6, "10.255.255.254", "", 0, 0))),
		ie.NewCreateFAR(ie.NewFARID(1), ie.NewApplyAction(2), ie.NewForwardingParameters(ie.NewDestinationInterface(ie.DstInterfaceCore))),
		ie.NewCreateFAR(ie.NewFARID(2), ie.NewApplyAction(2), ie.NewForwardingParameters(ie.NewDestinationInterface(ie.DstInterfaceAccess),
			ie.NewOuterHeaderCreation(0x0100, 0xeeedeceb, "192.0.2.2", "", 0, 0, 0))),
		ie.NewCreateQER(qer...)}
	if limited {
		ies = append(ies, ie.NewCreateURR(ie.NewURRID(1), ie.NewMeasurementMethod(0, 1, 0), ie.NewReportingTriggers(1, 0, 0), ie.NewMeasurementPeriod(time.Hour)))
	}
	return octetsOf(b, message.NewSessionEstablishmentRequest(0, 0, 0, 0, 0, ies...))
}
