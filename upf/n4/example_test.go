package n4_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"github.com/upflab/upflab/upf/datapath/memory"
	"github.com/upflab/upflab/upf/n4"
)

// A server needs addresses and a datapath; it answers whatever arrives on its socket.
func ExampleServer() {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	local := netip.MustParseAddr("127.0.0.1")
	server, err := n4.New(n4.Config{NodeID: "upf.example.org", N4: local, N3: local, Datapath: memory.New(0)})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, conn) }()

	smf, err := net.DialUDP("udp4", nil, conn.LocalAddr().(*net.UDPAddr))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer smf.Close()
	heartbeat := []byte{0x20, 1, 0, 12, 0, 0, 1, 0, 0, 96, 0, 4, 0, 0, 0, 1} // TS 29.244 clause 7.4.2.1
	smf.Write(heartbeat)
	answer := make([]byte, 100)
	smf.Read(answer)
	fmt.Println("message type", answer[1], "for", server.Counters().Heartbeats, "heartbeat")
	cancel()
	fmt.Println("ended:", <-ended)
	// Output:
	// message type 2 for 1 heartbeat
	// ended: <nil>
}
