// Package bess asks a BESS daemon for its counters, by its gRPC service
// bess.pb.BESSControl (BESS, protobuf/service.proto).
//
// Only unary calls with few fields are needed, which is HTTP/2 and a handful of
// protocol buffers: both are small enough to do without a gRPC library.
package bess

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
)

// Port is the TCP port on which bessd listens, on the loopback address.
const Port = 10514

// Client speaks to one daemon.
type Client struct {
	http *http.Client
	base string
}

// Dial is how a Client reaches the daemon, as net.Dialer.DialContext.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// New gives a client of the daemon at addr, "127.0.0.1:10514". It connects when
// it is first asked.
func New(addr string, dial Dial) *Client {
	var plain http.Protocols
	plain.SetUnencryptedHTTP2(true)
	return &Client{
		http: &http.Client{Transport: &http.Transport{Protocols: &plain, DialContext: dial}},
		base: "http://" + addr + "/bess.pb.BESSControl/",
	}
}

// Close ends the connection.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// maxAnswer in octets; a module of SD-Core's pipeline takes a few hundred.
const maxAnswer = 1 << 20

// call does one unary call and gives the answer's message.
func (c *Client) call(ctx context.Context, method string, message []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+method, bytes.NewReader(frame(message)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/grpc")
	req.Header.Set("TE", "trailers")
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask bessd for %s: %w", method, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read bessd's answer to %s: %w", method, err)
	}
	if err := status(answer); err != nil {
		return nil, fmt.Errorf("bessd refuses %s: %w", method, err)
	}
	out, err := unframe(body)
	if err == nil {
		err = failure(out)
	}
	if err != nil {
		return nil, fmt.Errorf("bessd's answer to %s: %w", method, err)
	}
	return out, nil
}

// prefix is gRPC's, before each message: a compression flag, then the length.
const prefix = 5

func frame(message []byte) []byte {
	b := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	return append(b, message...)
}

func unframe(body []byte) ([]byte, error) {
	if len(body) < prefix {
		return nil, fmt.Errorf("%d octets are no gRPC message", len(body))
	}
	n := binary.BigEndian.Uint32(body[1:])
	if body[0] != 0 || uint64(n) != uint64(len(body)-prefix) {
		return nil, fmt.Errorf("not one plain gRPC message: flag %d, length %d of %d", body[0], n, len(body)-prefix)
	}
	return body[prefix:], nil
}

// status is gRPC's, in the trailers, or in the headers when there is no message.
func status(answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP status %s: is it bessd?", answer.Status)
	}
	for _, h := range []http.Header{answer.Trailer, answer.Header} {
		if code := h.Get("Grpc-Status"); code != "" && code != "0" {
			return fmt.Errorf("gRPC status %s: %s", code, h.Get("Grpc-Message"))
		}
	}
	return nil
}
