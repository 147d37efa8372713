package datanet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// maxDownload bounds a download, octets.
const maxDownload = 1 << 40

func (n *Network) serveHTTP(context.Context) error {
	n.http = &http.Server{Handler: handler(), ReadHeaderTimeout: 10 * time.Second}
	for _, a := range n.cfg.Addresses {
		l, err := n.cfg.Namespace.ListenTCP(netip.AddrPortFrom(a, HTTPPort))
		if err != nil {
			return err
		}
		n.running.Go(func() { n.http.Serve(l) }) // ends with Close
	}
	return nil
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", index)
	mux.HandleFunc("GET /ip", ip)
	mux.HandleFunc("GET /download/{size}", download)
	mux.HandleFunc("POST /upload", upload)
	mux.HandleFunc("PUT /upload", upload)
	return mux
}

func index(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, "The data network behind the UPF.\n\nGET /ip             your address\nGET /download/10M   ten "+
		"million octets; K, M and G are powers of 1000\nPUT or POST /upload counts what it gets\n")
}

// ip answers with the client's address: that of the UE.
func ip(w http.ResponseWriter, r *http.Request) {
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	fmt.Fprintln(w, client)
}

func download(w http.ResponseWriter, r *http.Request) {
	size, err := parseSize(r.PathValue("size"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	io.CopyN(w, zeros{}, size) // a client that goes away is no error
}

func upload(w http.ResponseWriter, r *http.Request) {
	got, err := io.Copy(io.Discard, r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%d\n", got)
}

// parseSize reads a number of octets with K, M or G.
func parseSize(text string) (int64, error) {
	number, unit := text, int64(1)
	for suffix, size := range map[string]int64{"K": 1e3, "M": 1e6, "G": 1e9} {
		if rest, ok := strings.CutSuffix(strings.ToUpper(text), suffix); ok {
			number, unit = rest, size
		}
	}
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil || v < 0 || v > maxDownload/unit {
		return 0, errors.New("the size is a number of octets such as 1500, 64K, 10M or 2G")
	}
	return v * unit, nil
}

// zeros is a reader without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
