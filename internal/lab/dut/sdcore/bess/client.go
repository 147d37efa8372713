// Package bess reads the counters of a BESS daemon through its gRPC service
// bess.pb.BESSControl (BESS, protobuf/service.proto).
package bess

import (
	"context"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
)

// Port is the TCP port on which bessd listens, on the loopback address.
const Port = 10514

// maxAnswer in bytes; a module of SD-Core's pipeline takes a few hundred.
const maxAnswer = 1 << 20

// again is how soon a connection that failed is tried again: bessd may just be
// starting.
const again = 50 * time.Millisecond

// Client speaks to one daemon.
type Client struct{ conn *grpc.ClientConn }

// Dial is how a Client reaches the daemon, as net.Dialer.DialContext.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// New returns a client of the daemon at addr, such as "127.0.0.1:10514". It connects
// at the first question.
func New(addr string, dial Dial) (*Client, error) {
	conn, err := grpc.NewClient("passthrough:///"+addr,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return dial(ctx, "tcp", addr) }),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: again, Multiplier: 1,
			MaxDelay: again}, MinConnectTimeout: time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)))
	if err != nil {
		return nil, fmt.Errorf("prepare the connection to bessd at %s: %w", addr, err)
	}
	return &Client{conn}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// answer is a message that may report an error.
type answer interface{ fault() *fault }

// call asks one question. BESS reports most errors in its answers, with gRPC's status
// OK.
func (c *Client) call(ctx context.Context, method string, question any, a answer) error {
	if err := c.conn.Invoke(ctx, "/bess.pb.BESSControl/"+method, question, a); err != nil {
		return fmt.Errorf("ask bessd for %s: %w", method, err)
	}
	if f := a.fault(); f != nil && f.Code != 0 {
		return fmt.Errorf("bessd's answer to %s: error %d: %s", method, f.Code, f.Message)
	}
	return nil
}
