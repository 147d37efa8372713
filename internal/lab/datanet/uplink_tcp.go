package datanet

import (
	"context"
	"io"
	"net"
	"time"
)

// dialWithin is how long a connection of the uplink may take.
const dialWithin = 10 * time.Second

// mostConnections is how many TCP connections the uplink relays at once, each with two sockets.
// A further one is reset.
const mostConnections = 1024

func (u *uplink) acceptAll(ctx context.Context) {
	room := make(chan struct{}, mostConnections)
	for {
		c, err := u.tcp.Accept()
		if err != nil {
			return
		}
		ue := c.(*net.TCPConn)
		select {
		case room <- struct{}{}:
			u.running.Go(func() {
				u.relay(ctx, ue)
				<-room
			})
		default:
			ue.SetLinger(0)
			ue.Close()
		}
	}
}

// relay opens the connection that a UE wants and copies both ways. One that cannot be
// opened ends with a reset, after the UE's own was established.
func (u *uplink) relay(ctx context.Context, ue *net.TCPConn) {
	if !u.keep(ue) {
		return
	}
	defer u.drop(ue)
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	c, err := u.dial(ctx, "tcp", ue.LocalAddr().String())
	if err != nil {
		ue.SetLinger(0)
		return
	}
	out := c.(*net.TCPConn)
	if !u.keep(out) {
		return
	}
	defer u.drop(out)
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(out, ue) // either end may go away
		out.CloseWrite()
	}()
	io.Copy(ue, out)
	ue.CloseWrite()
	<-done
}
