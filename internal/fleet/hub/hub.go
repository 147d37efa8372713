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

	"github.com/nats-io/nats-server/v2/server"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/fleet"
)

const operatorName = "operator"

// OperatorPass is where a hub's operator has its pass.
func OperatorPass(dir string) string { return filepath.Join(dir, operatorName+".pass") }

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
}

// Hub is a running server.
type Hub struct {
	dir    string
	keys   string   // the folder of keys and members
	own    []member // not in that folder: the hub itself, where it only reads that
	lock   *os.File
	server *server.Server
	config server.Options // but for the members
	ring   keyring
	desk   fleet.Access
	lease  time.Duration
	read   time.Time // when the file of members was written that is in force
}

// Start starts a hub, the first time with keys and streams.
func Start(ctx context.Context, c Config) (_ *Hub, err error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the hub's folder: %w", err)
	}
	h := &Hub{dir: c.Dir, keys: c.Dir, lease: c.Lease}
	if h.lock, err = lock(c.Dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if err = h.configure(c); err != nil {
		return nil, err
	}
	if err = h.serve(); err != nil {
		return nil, err
	}
	if c.Keys == "" {
		if err = h.members(); err != nil {
			return nil, err
		}
	}
	return h, h.prepare(ctx)
}

// lock keeps a second hub away from the same messages.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the hub's folder: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("another hub runs with the folder %s: two would ruin each other's messages", dir)
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
	if port == 0 {
		port = server.RANDOM_PORT
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
	h.config = options(h.dir, host, port, c.MaxStore, cert)
	if h.ring, err = readKeyring(h.dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	h.ring.URLs = hosts // ports are added when it listens
	return h.operator()
}

// operator makes the desk's pass when there is none.
func (h *Hub) operator() error {
	if p, err := fleet.ReadPass(OperatorPass(h.dir)); err == nil && h.knows(p) {
		h.desk.Pass = &p
		return nil
	}
	p, err := h.ring.add(h.dir, member{Name: operatorName, Operator: true})
	h.desk.Pass = &p
	return err
}

func (h *Hub) knows(p fleet.Pass) bool {
	for _, m := range h.ring.Members {
		if m.Name == p.Name && m.Operator {
			return true
		}
	}
	return false
}

// serve starts the server.
func (h *Hub) serve() error {
	config := h.config
	config.Nkeys = h.users()
	s, err := server.NewServer(&config)
	if err != nil {
		return fmt.Errorf("start the hub: %w", err)
	}
	h.server = s
	log := &logger{}
	s.SetLoggerV2(log, false, false, false)
	s.Start()
	const patience = 30 * time.Second // it reads all messages
	if !s.ReadyForConnections(patience) || !s.JetStreamEnabled() {
		return fmt.Errorf("the hub did not start at %s: %s", net.JoinHostPort(h.config.Host, strconv.Itoa(h.config.Port)), log.last())
	}
	h.config.Port = s.Addr().(*net.TCPAddr).Port
	return nil
}

// members writes down where the hub is, and the desk's pass.
func (h *Hub) members() error {
	for i, host := range h.ring.URLs {
		h.ring.URLs[i] = "tls://" + net.JoinHostPort(host, strconv.Itoa(h.config.Port))
	}
	h.desk.Pass.URLs = h.ring.URLs
	err := errors.Join(h.ring.write(h.dir), writePass(OperatorPass(h.dir), *h.desk.Pass))
	h.read = h.changed()
	return err
}

// prepare makes the streams.
func (h *Hub) prepare(ctx context.Context) error {
	c, err := h.dial()
	if err != nil {
		return err
	}
	defer c.NATS.Close()
	return fleet.Prepare(ctx, c.JS, fleet.Settings{Lease: h.lease, Replicas: 1}, h.ring.agents())
}

// Port is where it listens.
func (h *Hub) Port() int { return h.config.Port }

// URLs are where it is reached.
func (h *Hub) URLs() []string { return h.ring.URLs }

// Close ends the server in order.
func (h *Hub) Close() error {
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
	return h.lock.Close()
}
