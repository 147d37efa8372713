// Package web fetches pages as a browser does, over a new connection each, and serves
// them.
package web

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// PageMax is the longest page, octets.
const PageMax = 1 << 30

// Path is that of a page of so many octets.
func Path(octets int) string { return "/page?octets=" + strconv.Itoa(octets) }

// Server serves pages until it is closed.
type Server struct {
	http *http.Server
	done chan struct{}
}

// Serve serves at a listener, which it closes in the end.
func Serve(l net.Listener) *Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", page)
	s := &Server{http: &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.http.Serve(l) // ends with Close
	}()
	return s
}

// Close ends it and all its connections.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	return err
}

// page answers with as many octets as are asked for.
func page(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("octets"))
	if err != nil || n < 0 || n > PageMax {
		http.Error(w, fmt.Sprintf("octets takes 0..%d", PageMax), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(n))
	w.Header().Set("Content-Type", "application/octet-stream")
	var chunk [16 << 10]byte
	for n > 0 {
		wrote, err := w.Write(chunk[:min(n, len(chunk))])
		if err != nil {
			return // the client has gone
		}
		n -= wrote
	}
}
