package n4

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

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/upf/datapath/xdp"
)

// benchWindow is how many requests wait for their answers at once.
const benchWindow = 64

// BenchmarkSocket establishes b.N sessions and then modifies each, through a UDP socket and into
// the maps of the kernel: a plain session has a QER with the QFI, a limited one an MBR and a
// URR, too. The client runs in the same process; it costs two system calls a request.
// The octets are of the process's heap, and of the kernel's maps beyond those of a datapath
// for 1024 sessions.
//
//	go test ./upf/n4 -run '^$' -bench Socket -benchtime 50000x -cpu 1
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
	heap := heapOctets()
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
	b.ReportMetric(float64(mapOctets(b)-c.fixedMaps)/float64(b.N), "map-B/session")
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
	// fixedMaps are the octets of the maps of a datapath for few sessions.
	fixedMaps int64
}

// startSocket serves a datapath xdp with room for so many sessions.
func startSocket(b *testing.B, sessions int) *socketClient {
	livetest.Network(b)
	lo, err := netlink.LinkByName("lo")
	livetest.Must(b, err)
	livetest.Must(b, netlink.LinkSetUp(lo))
	fixed := emptyMaps(b)
	dp, err := xdp.Open(benchXDP(sessions))
	livetest.Must(b, err)
	c := serveSocket(b, dp, benchN3)
	c.fixedMaps = fixed
	return c
}

var benchN3 = netip.MustParseAddr("192.0.2.1")

// benchXDP is a datapath with room for so many sessions.
func benchXDP(sessions int) xdp.Config {
	return xdp.Config{N3: "n3", N6: "n6", N3Address: benchN3, MaxSessions: max(sessions, 1024),
		UEPools: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
}

// serveSocket serves a datapath on an address of N4.
func serveSocket(b *testing.B, dp datapath.Datapath, n4 netip.Addr) *socketClient {
	s, err := New(Config{NodeID: "192.0.2.1", N4: n4, N3: benchN3, Datapath: dp})
	livetest.Must(b, err)
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(n4, 0)))
	livetest.Must(b, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, conn) }()
	client, err := net.Dial("udp4", conn.LocalAddr().String())
	livetest.Must(b, err)
	roomy(b, conn)
	roomy(b, client.(*net.UDPConn))
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

// roomy has a socket hold more than the system's limit, where that is allowed: what comes while
// the process does not run is not lost.
func roomy(b *testing.B, conn *net.UDPConn) {
	raw, err := conn.SyscallConn()
	livetest.Must(b, err)
	livetest.Must(b, raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 16<<20) }))
}

func octetsOf(b testing.TB, m message.Message) []byte {
	octets := make([]byte, m.MarshalLen())
	livetest.Must(b, m.MarshalTo(octets))
	return octets
}

// drive sends n requests, a window at once, and gives each accepted answer to got.
func (c *socketClient) drive(n int, request func(i int) []byte, got func(i int, answer []byte)) {
	c.b.Helper()
	first, buf := c.seq+1, make([]byte, 2048)
	sent := 0
	for ; sent < min(n, benchWindow); sent++ {
		c.send(request(sent))
	}
	for answered := range n {
		c.conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		size, err := c.conn.Read(buf)
		if err != nil {
			c.b.Fatalf("%d of %d answers: %v", answered, n, err)
		}
		seq, ies := c.accepted(buf[:size])
		if got != nil {
			got(int(seq-first), ies)
		}
		if sent < n {
			c.send(request(sent))
			sent++
		}
	}
}

// send gives a request the next sequence number, and sends it.
func (c *socketClient) send(request []byte) {
	c.seq++
	at := sequenceAt(request)
	request[at], request[at+1], request[at+2] = byte(c.seq>>16), byte(c.seq>>8), byte(c.seq)
	if _, err := c.conn.Write(request); err != nil {
		c.b.Fatal(err)
	}
}

// accepted reads an answer, which has to be that the request was accepted.
func (c *socketClient) accepted(answer []byte) (seq uint32, ies []byte) {
	at := sequenceAt(answer)
	seq, ies = uint32(answer[at])<<16|uint32(answer[at+1])<<8|uint32(answer[at+2]), answer[at+4:]
	if cause := findIE(ies, ie.Cause); len(cause) != 1 || cause[0] != ie.CauseRequestAccepted {
		c.b.Fatalf("answer to request %d: cause %v", seq, cause)
	}
	return seq, ies
}

// sequenceAt is where a message has its sequence number.
func sequenceAt(message []byte) int {
	if message[0]&1 != 0 { // with a SEID
		return 12
	}
	return 4
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
	c.seids = make([]uint64, n)
	c.drive(n, establishments(template, 0), func(i int, answer []byte) { c.seids[i] = binary.BigEndian.Uint64(findIE(answer, ie.FSEID)[1:]) })
}

// establishments makes requests of a template, for sessions from a number on.
func establishments(template []byte, from uint32) func(i int) []byte {
	ue, teid := netip.MustParseAddr("10.255.255.254").As4(), []byte{0xfe, 0xfd, 0xfc, 0xfb}
	var ues []int
	for at := indexOf(template, ue[:], 0); at >= 0; at = indexOf(template, ue[:], at+4) {
		ues = append(ues, at)
	}
	teidAt, gnbAt := indexOf(template, teid, 0), indexOf(template, []byte{0xee, 0xed, 0xec, 0xeb}, 0)
	return func(i int) []byte {
		number := from + uint32(i) + 1
		for _, at := range ues {
			binary.BigEndian.PutUint32(template[at:], 10<<24+1+number)
		}
		binary.BigEndian.PutUint32(template[teidAt:], number)
		binary.BigEndian.PutUint32(template[gnbAt:], number)
		return template
	}
}

func (c *socketClient) modify(n int) { c.drive(n, c.modifications(), nil) }

// modifications move each session to another gNB, as a handover does.
func (c *socketClient) modifications() func(i int) []byte {
	template := octetsOf(c.b, message.NewSessionModificationRequest(0, 0, 1, 0, 0,
		ie.NewUpdateFAR(ie.NewFARID(2),
			ie.NewUpdateForwardingParameters(ie.NewOuterHeaderCreation(0x0100, 0xeeedeceb, "192.0.2.3", "", 0, 0, 0)))))
	gnbAt := indexOf(template, []byte{0xee, 0xed, 0xec, 0xeb}, 0)
	return func(i int) []byte {
		binary.BigEndian.PutUint64(template[4:], c.seids[i%len(c.seids)])
		binary.BigEndian.PutUint32(template[gnbAt:], uint32(i)+1)
		return template
	}
}

// establishmentTemplate is a request for a session of two PDRs.
func establishmentTemplate(b testing.TB, limited bool) []byte {
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
		ies = append(ies, ie.NewCreateURR(ie.NewURRID(1), ie.NewMeasurementMethod(0, 1, 0),
			ie.NewReportingTriggers(1, 0, 0), ie.NewMeasurementPeriod(time.Hour)))
	}
	return octetsOf(b, message.NewSessionEstablishmentRequest(0, 0, 0, 0, 0, ies...))
}
