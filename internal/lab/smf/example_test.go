package smf_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/datapath/memory"
	"github.com/upflab/upflab/upf/n4"
)

// startUPF runs the N4 of the reference UPF on the loopback interface, and dials it as an SMF.
func startUPF() (client *smf.Client, stop func()) {
	listen := func() *net.UDPConn {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			panic(err)
		}
		return conn
	}
	loopback := netip.MustParseAddr("127.0.0.1")
	server, err := n4.New(n4.Config{NodeID: "127.0.0.1", N4: loopback, N3: netip.MustParseAddr("192.0.2.2"), Datapath: memory.New(0)})
	if err != nil {
		panic(err)
	}
	conn := listen()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(ctx, conn) })
	client, err = smf.Dial(smf.Config{Conn: listen(), Peer: conn.LocalAddr(), NodeID: loopback, Dialect: smf.Standard(), N1: 40})
	if err != nil {
		panic(err)
	}
	return client, func() { client.Close(); cancel(); running.Wait(); conn.Close() }
}

// pduSession is a session whose uplink F-TEID the UPF chooses.
func pduSession() smf.Session {
	return smf.Session{UE: netip.MustParseAddr("10.45.0.2"), GNB: netip.MustParseAddr("192.0.2.1"), DownlinkTEID: 2, QFI: 1}
}

// A client associates with a UPF, establishes a session, moves it to another gNB, and deletes it.
func Example() {
	client, stop := startUPF()
	defer stop()
	ctx := context.Background()
	association, err := client.Associate(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the UPF chooses F-TEIDs:", association.Features.Has(smf.FTUP))
	established, err := client.Establish(ctx, []smf.Session{pduSession()})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("uplink tunnel to", established[0].N3, "has a TEID:", established[0].UplinkTEID != 0)
	moved, err := client.Modify(ctx, established, func(smf.Established) smf.Change {
		return smf.Change{GNB: netip.MustParseAddr("192.0.2.9"), TEID: 7, EndMarker: true}
	})
	fmt.Println("downlink tunnel to", moved[0].GNB, "error:", err)
	fmt.Println("deleted, error:", client.Delete(ctx, moved))
	// Output:
	// the UPF chooses F-TEIDs: true
	// uplink tunnel to 192.0.2.2 has a TEID: true
	// downlink tunnel to 192.0.2.9 error: <nil>
	// deleted, error: <nil>
}

// A writer writes whatever rules it is given, in the dialect of a UPF.
func ExampleWriter() {
	w := smf.Writer{Dialect: smf.EUPF(), Instance: "internet", N3: netip.MustParseAddr("192.0.2.2")}
	node := netip.MustParseAddr("198.51.100.1")
	b := w.Establishment(1, node, 0x1001, node, &rules.Session{
		PDRs: []rules.PDR{{ID: 1, From: rules.Access, TEID: 5, FAR: 1, Filters: []rules.Filter{{Flow: "permit out ip from any to assigned"}}}},
		FARs: []rules.FAR{{ID: 1, Action: rules.Forward, To: rules.Core}},
	})
	h, ies, _, err := pfcp.Parse(b)
	fmt.Println(h.Type, "with", len(ies), "octets of IEs, error:", err)
	// Output: Session Establishment Request with 174 octets of IEs, error: <nil>
}

// A message is read tolerantly where speed counts, and strictly where each fault is to be seen.
func ExampleMessage_Read() {
	ies := []byte{0, 19, 0, 1, 73, 0, 40, 0, 1, 0} // Cause 73, and an Offending IE that is too short
	for _, how := range []smf.Strictness{smf.Tolerant, smf.Strict} {
		var m smf.Message
		err := m.Read(pfcp.Header{Type: pfcp.SessionModificationResponse}, ies, how)
		fmt.Printf("cause %s, error: %v\n", m.Why(), err)
	}
	// Output:
	// cause 73, Rule creation/modification Failure, error: <nil>
	// cause 73, Rule creation/modification Failure, error: IE 40 (Offending): it is shorter than its fields
}

// done is a Waiter that passes the cause of the answer on.
type done chan pfcp.Cause

func (d done) Answered(h pfcp.Header, ies []byte, _ netip.AddrPort, _ time.Time) {
	var m smf.Message
	_ = m.Read(h, ies, smf.Tolerant)
	d <- m.Cause
}

func (d done) Unanswered() { close(d) }

// A load has many requests under way without a goroutine for each: Begin registers a request, Send transmits
// it, and Repeat, called now and then, transmits again what was not answered.
func ExampleClient_Begin() {
	client, stop := startUPF()
	defer stop()
	if _, err := client.Associate(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	session, answered := pduSession(), make(done, 1)
	var t smf.Transaction
	by := pfcp.Retransmission{T1: time.Second, Tries: 10}
	client.Begin(&t, client.EstablishmentRequest(client.NewWriter(), &session), by, answered)
	for err := client.Send(t.Bytes); ; _, _, err = client.Repeat() {
		if err != nil {
			fmt.Println(err)
			return
		}
		select {
		case cause := <-answered:
			fmt.Println(cause)
			return
		case <-time.After(by.T1):
		}
	}
	// Output: Request accepted
}
