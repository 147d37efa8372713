package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Dial opens a TCP connection from a UE.
type Dial func(ctx context.Context, from netip.Addr, to netip.AddrPort) (net.Conn, error)

// Fetched is what became of one page.
type Fetched struct {
	At        time.Time     // before the connection was opened
	Connect   time.Duration // until it was open
	FirstByte time.Duration // until the answer began, the connection included
	Complete  time.Duration // until the last octet
	Octets    int64
	Err       error
}

// Fetch gets one page from a server. The whole may take as long as ctx allows.
func Fetch(ctx context.Context, dial Dial, from netip.Addr, server netip.AddrPort, path string) (f Fetched) {
	f.At = time.Now()
	conn, err := dial(ctx, from, server)
	if err != nil {
		f.Err = fmt.Errorf("connect: %w", err)
		return f
	}
	defer conn.Close()
	f.Connect = time.Since(f.At)
	if end, bounded := ctx.Deadline(); bounded {
		conn.SetDeadline(end)
	}
	if f.Err = ask(conn, server, path); f.Err != nil {
		return f
	}
	f.Err = f.read(conn)
	return f
}

func ask(conn net.Conn, server netip.AddrPort, path string) error {
	request, err := http.NewRequest(http.MethodGet, "http://"+server.String()+path, nil)
	if err != nil {
		return err
	}
	request.Close = true
	if err := request.Write(conn); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	return nil
}

func (f *Fetched) read(conn net.Conn) error {
	in := bufio.NewReader(conn)
	if _, err := in.Peek(1); err != nil {
		return fmt.Errorf("wait for the answer: %w", err)
	}
	f.FirstByte = time.Since(f.At)
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	defer answer.Body.Close()
	f.Octets, err = io.Copy(io.Discard, answer.Body)
	f.Complete = time.Since(f.At)
	switch {
	case err != nil:
		return fmt.Errorf("read the page: %w", err)
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("the server answered %s", answer.Status)
	case answer.ContentLength >= 0 && f.Octets != answer.ContentLength:
		return fmt.Errorf("the page has %d octets of %d", f.Octets, answer.ContentLength)
	}
	return nil
}
