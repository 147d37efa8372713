package upf

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// serveAPI serves GET /counters and GET /metrics, and what the datapath adds, until ctx is done.
func (u *UPF) serveAPI(ctx context.Context) error {
	if u.api == nil {
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /counters", u.getCounters)
	mux.Handle("GET /metrics", u.metricsHandler())
	if u.can.ServeAPI != nil {
		u.can.ServeAPI(mux)
	}
	server := &http.Server{Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	return serve(ctx, u.api, server)
}

// serve answers requests until ctx is done.
func serve(ctx context.Context, l net.Listener, server *http.Server) error {
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (u *UPF) getCounters(w http.ResponseWriter, _ *http.Request) {
	c, err := u.Counters()
	if err != nil {
		http.Error(w, "read the datapath's counters: "+err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, c)
}
