package pages

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

// connectionsMost is how many may be connected at once; more wait.
const connectionsMost = 256

// httpServer cuts off who sends or reads slowly; events of a run have limits of their own (web).
func httpServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 20 * time.Second, WriteTimeout: 2 * time.Minute,
		IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 16}
}

// Serve shows pages to those who connect, until the context ends.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := httpServer(h)
	context.AfterFunc(ctx, func() { s.Close() })
	if err := s.Serve(netutil.LimitListener(l, connectionsMost)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
