package smf

import (
	"errors"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

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
	s, ok := c.cfg.Conn.(*n4socket.Socket)
	if !ok {
		c.running.Go(c.receive)
		return
	}
	ended := make(chan struct{})
	c.running.Go(func() { <-ended })
	threads.Once(func() {
		defer close(ended)
		threads.GoFirst(c.cfg.CPUs...)
		c.receiveOn(s)
	})
}

// receiveOn reads what comes on a socket with a thread.
func (c *Client) receiveOn(s *n4socket.Socket) {
	buf := make([]byte, 1<<16)
	for {
		n, from, at, err := s.ReadStamped(buf)
		switch err {
		case nil:
			c.handle(buf[:n], net.UDPAddrFromAddrPort(from), at)
		case unix.EAGAIN:
			if err := s.Wait(); errors.Is(err, os.ErrDeadlineExceeded) {
				return
			}
		case unix.EINTR:
		default:
			c.cfg.Log.Warn("cannot read from N4", "error", err)
			time.Sleep(10 * time.Millisecond) // not to spin on an error that stays
		}
	}
}
