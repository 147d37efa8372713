package smf

import (
	"net"

	"github.com/upflab/upflab/n4socket"
	"github.com/upflab/upflab/threads"
)

// ownThread takes a socket for a thread that reads it.
func ownThread(conn *net.UDPConn) (*n4socket.Socket, error) {
	s, err := n4socket.Take(conn)
	if err != nil {
		return nil, err
	}
	_ = s.Stamp() // without, datagrams come when they are read
	return s, nil
}

// startReceiving reads until the client is closed.
func (c *Client) startReceiving() {
	if _, ok := c.cfg.Conn.(*n4socket.Socket); !ok {
		c.running.Go(c.receive)
		return
	}
	ended := make(chan struct{})
	c.running.Go(func() { <-ended })
	threads.Once(func() {
		defer close(ended)
		threads.GoFirst(c.cfg.CPUs...)
		c.receive()
	})
}
