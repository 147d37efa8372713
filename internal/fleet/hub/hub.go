package hub

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/safefile"
)

// OperatorPass is where a hub's operator has its pass.
func OperatorPass(dir string) string { return filepath.Join(dir, fleet.OperatorName+".pass") }

// Config is what a hub is started with.
type Config struct {
	Dir string // of keys and messages
	// Keys is a folder with keys and members that Make and Add wrote, and that is only read
	// and followed here, such as a mounted Secret; "": Dir, where keys are made.
	Keys   string
	Listen string // address:port; port 0: any
	// Hosts are the names and addresses by which agents reach it, first the one that
	// passes name; none: the machine's.
	Hosts []string
	Lease time.Duration
	// MaxStore bounds what its messages and results take on disk, octets; 0: what
	// the disk has.
	MaxStore int64
	// At is a NATS server or cluster that exists, of which this is the front: no server is
	// started, and Lease is as it was prepared. Its pass is the operator's in Dir. nil: the hub
	// is the server.
	At *fleet.Access
}

// Hub is a running server.
type Hub struct {
	dir    string
	keys   string   // the folder of keys and members
	own    []member // not in that folder: the hub itself, where it only reads that
	lock   *os.File
	broker *broker // nil: it is a NATS server that exists
	ring   keyring
	client fleet.Access
	sets   fleet.Settings
	read   time.Time // when the file of members was written that is in force

	front  *front
	conn   *fleet.Conn
	end    context.CancelFunc // of what the front follows
	notice chan string        // what the front has to say, for who serves
}

// Start starts a hub, the first time with keys and streams.
func Start(ctx context.Context, c Config) (_ *Hub, err error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the hub's folder: %w", err)
	}
	h := &Hub{dir: c.Dir, keys: c.Dir, sets: fleet.Settings{Lease: c.Lease, Replicas: 1}, notice: make(chan string, 16)}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if c.At != nil {
		err = h.useForeign(*c.At)
	} else {
		err = h.useOwn(c)
	}
	if err != nil {
		return nil, err
	}
	return h, h.open(ctx)
}

// useOwn makes keys and starts the server.
func (h *Hub) useOwn(c Config) (err error) {
	if h.lock, err = lock(h.dir); err != nil {
		return err
	}
	if err = h.configure(c); err != nil {
		return err
	}
	if err = h.broker.start(h.users()); err != nil || c.Keys != "" {
		return err
	}
	return h.members()
}

// open makes the streams, and serves the agents.
func (h *Hub) open(ctx context.Context) error {
	key, err := h.ring.operatorKey()
	if err != nil {
		return err
	}
	verifier, err := fleet.Verifier(key)
	if err != nil {
		return err
	}
	nc, err := h.dial()
	if err != nil {
		return err
	}
	if h.broker != nil {
		err = h.prepare(ctx, nc)
	}
	if err != nil {
		nc.Close()
		return err
	}
	if h.conn, err = fleet.OpenOn(ctx, nc, verifier); err != nil {
		return err
	}
	if h.broker == nil {
		h.sets = h.conn.Settings
		err = h.prepare(ctx, nc) // for agents that were added since
	}
	if err != nil {
		return err
	}
	if h.front, err = newFront(ctx, h.conn, h.storeLimit(), h.say); err != nil {
		return err
	}
	follow, end := context.WithCancel(context.Background())
	h.end = end
	go h.front.follow(follow)
	return h.front.admit(h.ring.Members)
}

// prepare makes the streams and buckets that are missing.
func (h *Hub) prepare(ctx context.Context, nc *nats.Conn) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	return fleet.Prepare(ctx, js, h.sets, h.ring.agents())
}

// storeLimit is the room for messages, octets; 0: that is asked of the server.
func (h *Hub) storeLimit() int64 {
	if h.broker == nil {
		return 0
	}
	return h.broker.store()
}

// say keeps what the front has to say. When nobody reads it, it is dropped.
func (h *Hub) say(text string) {
	select {
	case h.notice <- text:
	default:
	}
}

// lock keeps a second hub away from the same messages.
func lock(dir string) (*os.File, error) {
	f, err := safefile.Lock(filepath.Join(dir, "lock"))
	switch {
	case errors.Is(err, safefile.ErrLocked):
		return nil, fmt.Errorf("another hub runs with the folder %s: two would ruin each other's messages", dir)
	case err != nil:
		return nil, fmt.Errorf("lock the hub's folder: %w", err)
	}
	return f, nil
}

// configure reads or makes keys.
func (h *Hub) configure(c Config) error {
	host, portText, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w; write ADDRESS:PORT", c.Listen, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return fmt.Errorf("--listen %s: %q is no port", c.Listen, portText)
	}
	if c.Keys != "" {
		return h.readKeys(c, host, port)
	}
	hosts := c.Hosts
	if len(hosts) == 0 {
		hosts = machineHosts(host)
	}
	cert, err := certificate(h.dir, hosts)
	if err != nil {
		return err
	}
	h.broker = newBroker(h.dir, host, port, c.MaxStore, cert)
	if h.ring, err = readKeyring(h.dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	h.ring.URLs = hosts // ports are added when it listens
	return h.operator()
}

// operator makes the client's pass when there is none.
func (h *Hub) operator() error {
	if p, err := fleet.ReadPass(OperatorPass(h.dir)); err == nil && h.knows(p) {
		h.client.Pass = &p
		return nil
	}
	p, err := h.ring.add(h.dir, member{Name: fleet.OperatorName, Operator: true}, nil)
	h.client.Pass = &p
	return err
}

// knows reports whether a pass is the operator's.
func (h *Hub) knows(p fleet.Pass) bool {
	self, err := p.Identity()
	if err != nil || !p.Operator {
		return false
	}
	mine, err := self.OperatorPublic()
	known, wrong := h.ring.operatorKey()
	return err == nil && wrong == nil && mine == known
}

// members writes down where the hub is, and the client's pass.
func (h *Hub) members() error {
	for i, host := range h.ring.URLs {
		h.ring.URLs[i] = "tls://" + net.JoinHostPort(host, strconv.Itoa(h.broker.port()))
	}
	h.client.Pass.URLs = h.ring.URLs
	err := errors.Join(h.ring.write(h.dir), writePass(OperatorPass(h.dir), *h.client.Pass))
	h.read = h.changed()
	return err
}

// Port is where it listens.
func (h *Hub) Port() int { return h.broker.port() }

// URLs are where it is reached.
func (h *Hub) URLs() []string { return h.ring.URLs }

// Close ends the server in order.
func (h *Hub) Close() error {
	if h.end != nil {
		h.end()
	}
	if h.conn != nil {
		h.conn.Close()
	}
	if h.broker != nil {
		h.broker.close()
	}
	if h.lock == nil {
		return nil
	}
	return h.lock.Close()
}
