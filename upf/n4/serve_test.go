package n4

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"github.com/wmnsk/go-pfcp/message"

	"github.com/upflab/upflab/internal/socket/n4socket"
	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/n4/association"
)

// smf is a CP function made of go-pfcp, on a loopback socket.
type smf struct {
	t    *testing.T
	conn net.Conn
	seq  uint32
	stop func() // stops the server
}

// ways are those that a server serves in.
var ways = map[string]func(*Server, context.Context, *net.UDPConn) error{
	"goroutines": func(s *Server, ctx context.Context, conn *net.UDPConn) error { return s.Serve(ctx, conn) },
	"alone": func(s *Server, ctx context.Context, conn *net.UDPConn) error {
		socket, err := n4socket.Take(conn)
		if err != nil {
			return err
		}
		return errors.Join(s.ServeAlone(ctx, socket), socket.Close())
	},
}

// inEachWay runs a test with each way to serve.
func inEachWay(t *testing.T, test func(t *testing.T, way string)) {
	for way := range ways {
		t.Run(way, func(t *testing.T) { test(t, way) })
	}
}

// serve runs the server on a loopback socket until the test ends.
func serve(t *testing.T, b *bench, way string) *smf {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	b.later = b.working.Go
	ctx, cancel := context.WithCancel(context.Background())
	done, at := make(chan error, 1), conn.LocalAddr().String()
	go func() { done <- ways[way](b.Server, ctx, conn) }()
	client, err := net.Dial("udp4", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
		conn.Close()
		client.Close()
	})
	return &smf{t: t, conn: client, seq: 100, stop: cancel}
}

func (c *smf) ask(m message.Message) message.Message {
	c.t.Helper()
	c.seq++
	m.SetSequenceNumber(c.seq)
	c.write(m)
	return c.read()
}

func (c *smf) write(m message.Message) {
	c.t.Helper()
	b := make([]byte, m.MarshalLen())
	if err := m.MarshalTo(b); err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.conn.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

func (c *smf) read() message.Message {
	c.t.Helper()
	buf := make([]byte, 2048)
	c.conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	n, err := c.conn.Read(buf)
	if err != nil {
		c.t.Fatal(err)
	}
	m, err := message.Parse(buf[:n])
	if err != nil {
		c.t.Fatalf("answer %x: %v", buf[:n], err)
	}
	return m
}

func TestEndToEnd(t *testing.T) { inEachWay(t, testEndToEnd) }

func testEndToEnd(t *testing.T, way string) {
	b := newBench(t, nil)
	c := serve(t, b, way)
	setup := c.ask(message.NewAssociationSetupRequest(0,
		ie.NewNodeIDHeuristic("smf.example.org"), ie.NewRecoveryTimeStamp(time.Now()))).(*message.AssociationSetupResponse)
	if !setup.UPFunctionFeatures.HasFTUP() {
		t.Error("FTUP is not announced")
	}
	answer := c.ask(establishmentOf(0, "10.45.0.2")).(*message.SessionEstablishmentResponse)
	if cause, _ := answer.Cause.Cause(); cause != ie.CauseRequestAccepted {
		t.Fatalf("establishment: cause %d", cause)
	}
	fteid, err := answer.CreatedPDR[0].FTEID()
	if err != nil || !fteid.IPv4Address.Equal(net.ParseIP("198.18.0.1")) || !b.HasTEID(fteid.TEID) {
		t.Errorf("Created PDR's F-TEID = %+v, %v", fteid, err)
	}
	if answer.SEID() != 77 {
		t.Errorf("answer to SEID %d, want the CP function's 77", answer.SEID())
	}
	up, err := answer.UPFSEID.FSEID()
	if err != nil {
		t.Fatal(err)
	}
	deletion := c.ask(message.NewSessionDeletionRequest(0, 0, up.SEID, 0, 0)).(*message.SessionDeletionResponse)
	if cause, _ := deletion.Cause.Cause(); cause != ie.CauseRequestAccepted || b.dp.Len() != 0 {
		t.Errorf("deletion: cause %d, %d sessions left", cause, b.dp.Len())
	}
	// An answer counts once it has been sent.
	wait.Until(5*time.Second, time.Millisecond, func() bool { return b.Counters().Sent == 3 })
	if got := b.Counters(); got.Received != 3 || got.Sent != 3 {
		t.Errorf("counters %+v, want 3 received, 3 sent", got)
	}
}

// establishmentOf asks for a session whose F-TEID the UPF chooses.
func establishmentOf(seq uint32, ue string) *message.SessionEstablishmentRequest {
	return message.NewSessionEstablishmentRequest(0, 0, 0, seq, 0,
		ie.NewNodeIDHeuristic("smf.example.org"),
		ie.NewFSEID(77, net.IPv4(127, 0, 0, 7), nil),
		ie.NewCreatePDR(ie.NewPDRID(1), ie.NewPrecedence(255),
			ie.NewPDI(ie.NewSourceInterface(ie.SrcInterfaceAccess), ie.NewFTEID(0x05, 0, nil, nil, 0), ie.NewUEIPAddress(2, ue, "", 0, 0)),
			ie.NewOuterHeaderRemoval(0, 0), ie.NewFARID(1), ie.NewQERID(1)),
		ie.NewCreatePDR(ie.NewPDRID(2), ie.NewPrecedence(255),
			ie.NewPDI(ie.NewSourceInterface(ie.SrcInterfaceCore), ie.NewUEIPAddress(2, ue, "", 0, 0)),
			ie.NewFARID(2), ie.NewQERID(1)),
		ie.NewCreateFAR(ie.NewFARID(1), ie.NewApplyAction(2), ie.NewForwardingParameters(ie.NewDestinationInterface(ie.DstInterfaceCore))),
		ie.NewCreateFAR(ie.NewFARID(2), ie.NewApplyAction(2), ie.NewForwardingParameters(ie.NewDestinationInterface(ie.DstInterfaceAccess),
			ie.NewOuterHeaderCreation(0x0100, 2, "192.0.2.1", "", 0, 0, 0))),
		ie.NewCreateQER(ie.NewQERID(1), ie.NewGateStatus(0, 0), ie.NewQFI(1)),
	)
}

func TestHeartbeatsToPeer(t *testing.T) { inEachWay(t, testHeartbeatsToPeer) }

func testHeartbeatsToPeer(t *testing.T, way string) {
	b := newBench(t, nil)
	c := serveBeating(t, b, way)
	c.ask(message.NewAssociationSetupRequest(0, ie.NewNodeIDHeuristic("smf.example.org"), ie.NewRecoveryTimeStamp(time.Now())))
	request, ok := c.read().(*message.HeartbeatRequest)
	if !ok {
		t.Fatal("what came is not a Heartbeat Request")
	}
	answer := message.NewHeartbeatResponse(request.Sequence(), ie.NewRecoveryTimeStamp(time.Now().Add(-time.Hour)))
	c.write(answer)
	if next := c.read().(*message.HeartbeatRequest); next.Sequence() == request.Sequence() {
		t.Error("an answered heartbeat was sent again")
	}
	// From here on the peer is silent.
	if !wait.Until(30*time.Second, 10*time.Millisecond, func() bool { return b.Counters().Associations == 0 }) {
		t.Fatal("the association of a silent peer did not end")
	}
}

// serveBeating serves with fast heartbeats to the client's own port. T1 is long enough for an answer on a busy machine.
func serveBeating(t *testing.T, b *bench, way string) *smf {
	t.Helper()
	port := freePort(t)
	b.associations.Settings.Heartbeat = association.Heartbeat{Interval: 40 * time.Millisecond, T1: 300 * time.Millisecond, N1: 2, Port: port.Port()}
	c := serve(t, b, way)
	remote := c.conn.RemoteAddr().String()
	c.conn.Close()
	d := net.Dialer{LocalAddr: net.UDPAddrFromAddrPort(port)}
	conn, err := d.Dial("udp4", remote)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c.conn = conn
	return c
}

func freePort(t *testing.T) netip.AddrPort {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return addrPort(conn.LocalAddr())
}

func TestServeReportsAClosedSocket(t *testing.T) {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if err := newBench(t, nil).Serve(context.Background(), conn); err == nil {
		t.Error("Serve on a closed socket returned nil")
	}
}
