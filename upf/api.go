package upf

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// serveAPI serves GET /counters, and what the datapath adds, until ctx is done.
func (u *UPF) serveAPI(ctx context.Context) error {
	if u.api == nil {
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /counters", u.getCounters)
	if more, ok := u.dp.(interface{ ServeAPI(*http.ServeMux) }); ok {
		more.ServeAPI(mux) // what this kind of datapath adds
	}
	server := &http.Server{Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(u.api); !errors.Is(err, http.ErrServerClosed) {
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
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.Encode(c)
}
