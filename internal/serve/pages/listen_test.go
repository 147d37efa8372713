package pages

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// listen gives a listener on loopback.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func dial(t *testing.T, l net.Listener, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err == nil {
		_, err = io.WriteString(c, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestSlowRequest: a body that never comes does not hold a connection for ever.
func TestSlowRequest(t *testing.T) {
	s := httpServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) }))
	if s.ReadTimeout == 0 || s.WriteTimeout == 0 || s.ReadHeaderTimeout == 0 || s.IdleTimeout == 0 {
		t.Error("a limit of time is missing")
	}
	s.ReadTimeout /= 40 // the test takes half a second
	l := listen(t)
	go s.Serve(l)
	defer s.Close()
	c := dial(t, l, "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
	c.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.ReadAll(c); err != nil {
		t.Errorf("the connection is still there: %v", err)
	}
}

// TestConnectionsHaveALimit: of many connections at once most are not taken up until
// others end.
func TestConnectionsHaveALimit(t *testing.T) {
	begun, hold := make(chan struct{}, 1000), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := listen(t)
	go Serve(ctx, l, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-hold
	}))
	const more = 20
	for range connectionsMost + more {
		dial(t, l, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	}
	count := func(n int) (got int) {
		for got < n {
			select {
			case <-begun:
				got++
			case <-time.After(20 * time.Second):
				return got
			}
		}
		return got
	}
	if got := count(connectionsMost); got != connectionsMost {
		t.Fatalf("%d of %d are served", got, connectionsMost)
	}
	select {
	case <-begun:
		t.Error("more than the limit are served at once")
	case <-time.After(300 * time.Millisecond):
	}
	close(hold)
	if got := count(more); got != more {
		t.Errorf("%d of the %d that waited are served", got, more)
	}
}
