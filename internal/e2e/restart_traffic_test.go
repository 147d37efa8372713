package e2e

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vishvananda/netns"
	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/text/wait"
)

// peers are an SMF, a gNB with one UE, and a host of the data network, as sockets of the
// kernel in their namespace.
type peers struct {
	t             *testing.T
	smf, gnb, dn  *net.UDPConn
	sequence      uint32
	up, down      stream
	ue            netip.Addr
	sending, done sync.WaitGroup
	stop          chan struct{}
	once          sync.Once
}

// stream counts packets of one direction by their numbers.
type stream struct {
	sent     atomic.Uint64
	received sync.Map // by number
}

// lost is how many of the first n packets did not come.
func (s *stream) lost(n uint64) (lost uint64) {
	for i := range n {
		if _, came := s.received.Load(i); !came {
			lost++
		}
	}
	return lost
}

const appPort = 9999

func newPeers(t *testing.T) *peers {
	t.Helper()
	p := &peers{t: t, ue: netip.MustParseAddr("10.45.0.1"), stop: make(chan struct{})}
	t.Cleanup(p.quiet)
	p.smf = p.listen("192.168.14.111:8805")
	p.gnb = p.listen("192.168.13.131:2152")
	p.dn = p.listen("192.168.16.152:9999")
	return p
}

// listen opens a socket in the peers' namespace.
func (p *peers) listen(address string) *net.UDPConn {
	p.t.Helper()
	var conn net.PacketConn
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread stays in the namespace and ends
		ns, err := netns.GetFromName(peerNS)
		if err == nil {
			err = netns.Set(ns)
			ns.Close()
		}
		if err == nil {
			conn, err = new(net.ListenConfig).ListenPacket(context.Background(), "udp4", address)
		}
		done <- err
	}()
	if err := <-done; err != nil {
		p.t.Fatalf("open %s in %s: %v", address, peerNS, err)
	}
	udp := conn.(*net.UDPConn)
	udp.SetReadBuffer(8 << 20)
	p.t.Cleanup(func() { udp.Close() })
	return udp
}

// ask sends a PFCP request and gives the answer.
func (p *peers) ask(typ pfcp.MessageType, seid uint64, ies ...*ie.IE) []byte {
	p.t.Helper()
	var m pfcp.Builder
	p.sequence++
	m.Begin(pfcp.Header{Type: typ, SEID: seid, Sequence: p.sequence})
	for _, i := range ies {
		b, err := i.Marshal()
		if err != nil {
			p.t.Fatal(err)
		}
		m.IE(i.Type, b[4:]...)
	}
	answer := make([]byte, 2048)
	for range 20 {
		p.smf.WriteToUDPAddrPort(m.Bytes(), netip.MustParseAddrPort("192.168.14.151:8805"))
		p.smf.SetReadDeadline(time.Now().Add(time.Second))
		n, _, err := p.smf.ReadFromUDPAddrPort(answer)
		if err == nil && answer[1] == byte(typ)+1 {
			return answer[:n]
		}
	}
	state, _ := exec.Command("sh", "-c", "ip -n "+upfNS+" neigh; ip -n "+upfNS+" address; ip netns exec "+upfNS+" ss -lunp").CombinedOutput()
	p.t.Fatalf("the UPF does not answer message %v\n%s", typ, state)
	return nil
}

// recovery is the UPF's Recovery Time Stamp.
func (p *peers) recovery() uint32 {
	b := p.ask(pfcp.HeartbeatRequest, 0, ie.NewUint32IE(ie.RecoveryTimeStamp, 1))
	return binary.BigEndian.Uint32(b[len(b)-4:])
}

// establish makes the UE's session, with a URR that counts both directions, and gives its
// SEID.
func (p *peers) establish() uint64 {
	p.t.Helper()
	node := ie.NewNodeID("192.168.14.111", "", "")
	p.ask(pfcp.AssociationSetupRequest, 0, node, ie.NewUint32IE(ie.RecoveryTimeStamp, 1))
	b := p.ask(pfcp.SessionEstablishmentRequest, 0, node, ie.NewFSEID(0x51, net.IPv4(192, 168, 14, 111), nil),
		ie.NewCreatePDR(ie.NewPDRID(1), ie.NewPrecedence(100), ie.NewPDI(ie.NewSourceInterface(ie.SrcInterfaceAccess),
			ie.NewFTEID(1, 0x77, net.IPv4(192, 168, 13, 151), nil, 0), ie.NewUEIPAddress(2, p.ue.String(), "", 0, 0)),
			ie.NewOuterHeaderRemoval(0, 0), ie.NewFARID(1), ie.NewURRID(4)),
		ie.NewCreatePDR(ie.NewPDRID(2), ie.NewPrecedence(100), ie.NewPDI(ie.NewSourceInterface(ie.SrcInterfaceCore),
			ie.NewUEIPAddress(6, p.ue.String(), "", 0, 0)), ie.NewFARID(2), ie.NewURRID(4)),
		ie.NewCreateFAR(ie.NewFARID(1), ie.NewApplyAction(2), ie.NewForwardingParameters(ie.NewDestinationInterface(ie.DstInterfaceCore))),
		ie.NewCreateFAR(ie.NewFARID(2), ie.NewApplyAction(2), ie.NewForwardingParameters(ie.NewDestinationInterface(ie.DstInterfaceAccess),
			ie.NewOuterHeaderCreation(0x100, 0x88, "192.168.13.131", "", 0, 0, 0))),
		ie.NewCreateURR(ie.NewURRID(4), ie.NewMeasurementMethod(0, 1, 0), ie.NewReportingTriggers(0x02, 0x00),
			ie.NewVolumeThreshold(1, 1e12, 0, 0)))
	const causeAt, seidAt = 16 + 9 + 4, 16 + 9 + 5 + 5 // after a Node ID of 9 octets, and a Cause
	if len(b) < seidAt+8 || b[causeAt] != ie.CauseRequestAccepted {
		p.t.Fatalf("the session is refused: %x", b)
	}
	return binary.BigEndian.Uint64(b[seidAt:])
}

// remove deletes the session and gives the octets that its URR counted, of both
// directions together.
func (p *peers) remove(seid uint64) uint64 {
	p.t.Helper()
	b := p.ask(pfcp.SessionDeletionRequest, seid)
	for at := 16; at+8 <= len(b); at++ { // within a Usage Report: Volume Measurement is type 66
		if binary.BigEndian.Uint16(b[at:]) == ie.VolumeMeasurement && binary.BigEndian.Uint16(b[at+2:]) == 25 && b[at+4] == 7 {
			return binary.BigEndian.Uint64(b[at+5:])
		}
	}
	p.t.Fatalf("no usage in the answer to a deletion: %x", b)
	return 0
}

// payload is that of the packets: their number.
const payload = 8

// tpduOctets is a packet with its IP header.
const tpduOctets = 20 + 8 + payload

// begin sends about 2000 packets a second in each direction until the end.
func (p *peers) begin() {
	p.done.Go(func() { count(p.dn, &p.up, 0) })
	p.done.Go(func() { count(p.gnb, &p.down, tpduOctets-payload) })
	p.sending.Go(func() {
		for tick := time.NewTicker(time.Millisecond); ; {
			select {
			case <-p.stop:
				tick.Stop()
				return
			case <-tick.C:
				for range 2 {
					p.send()
				}
			}
		}
	})
}

func (p *peers) send() {
	up := p.up.sent.Load()
	message := gtpu.AppendGPDUHeader(nil, 0x77, nil, tpduOctets)
	p.gnb.WriteToUDPAddrPort(p.appendTPDU(message, up), netip.MustParseAddrPort("192.168.13.151:2152"))
	p.up.sent.Store(up + 1)
	down := p.down.sent.Load()
	p.dn.WriteToUDPAddrPort(binary.BigEndian.AppendUint64(nil, down), netip.AddrPortFrom(p.ue, appPort))
	p.down.sent.Store(down + 1)
}

// appendTPDU appends the UE's UDP packet to the data network.
func (p *peers) appendTPDU(b []byte, number uint64) []byte {
	at := len(b)
	b = append(b, 0x45, 0, 0, tpduOctets, 0, 0, 0, 0, 64, 17, 0, 0)
	source, destination := p.ue.As4(), [4]byte{192, 168, 16, 152}
	b = append(append(b, source[:]...), destination[:]...)
	checksum.Put(b[at+10:], checksum.Finish(checksum.Sum(b[at:])))
	for _, word := range []uint16{appPort, appPort, 8 + payload, 0} {
		b = binary.BigEndian.AppendUint16(b, word)
	}
	return binary.BigEndian.AppendUint64(b, number)
}

// count notes the numbers of packets until the socket is closed. The number is the last
// of a message, of an inner packet where headers are before it.
func count(conn *net.UDPConn, s *stream, headers int) {
	b := make([]byte, 2048)
	for {
		n, err := conn.Read(b)
		if err != nil {
			return
		}
		if n >= headers+payload {
			s.received.Store(binary.BigEndian.Uint64(b[n-payload:n]), true)
		}
	}
}

// quiet ends the sending.
func (p *peers) quiet() {
	p.once.Do(func() { close(p.stop) })
	p.sending.Wait()
}

// end stops the traffic, waits for what is on its way, and gives the packets sent and
// those lost, of both directions.
func (p *peers) end() (sent, lost uint64) {
	p.quiet()
	up, down := p.up.sent.Load(), p.down.sent.Load()
	wait.Until(2*time.Second, 50*time.Millisecond, func() bool {
		lost = p.up.lost(up) + p.down.lost(down)
		return lost == 0
	})
	p.gnb.Close()
	p.dn.Close()
	p.done.Wait()
	return up + down, lost
}
