package hub

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/fleet"
)

// maxPayload is the largest message, octets: four times the largest job.
const maxPayload = 1 << 20

// maxSubs is how many subscriptions one connection may have: the hub has one for each agent and
// one for each testbed. An agent has two for each testbed, and one for each question of a
// measurement that it leads.
const (
	maxSubs      = 20_000
	maxAgentSubs = 500
)

// maxConnections is how many connections one member may have: an agent has one for each testbed,
// and each measurement over several hosts that it leads another.
const maxConnections = 32

// maxMessages is how many messages one connection may send between two looks at it
// (lookEvery): an agent that works sends less than a thousand.
const maxMessages = 50_000

// limit closes connections of agents that have too many of them, the newest first, or too many
// subscriptions, and those that send without end.
func (h *Hub) limit() error {
	list, err := h.server.Connz(&server.ConnzOptions{Username: true, Sort: server.ByCid, Limit: maxListed})
	if err != nil {
		return fmt.Errorf("look at who is connected: %w", err)
	}
	agents := map[string]bool{}
	for _, m := range h.ring.Members {
		agents[m.Key] = !m.Operator
	}
	mine, sent := map[string]int{}, map[uint64]int64{}
	for _, c := range list.Conns {
		mine[c.AuthorizedUser]++
		sent[c.Cid] = c.InMsgs
		tooMuch := c.InMsgs-h.sent[c.Cid] > maxMessages || c.NumSubs > maxAgentSubs || mine[c.AuthorizedUser] > maxConnections
		if agents[c.AuthorizedUser] && tooMuch {
			_ = h.server.DisconnectClientByID(c.Cid) // one that has gone by itself is an error
		}
	}
	h.sent = sent
	return nil
}

// maxListed is how many connections are looked at.
const maxListed = 65_536

// syncEvery is how much of what was acknowledged a failure of the machine's power may
// take. Killing the hub takes nothing: the kernel has what it wrote.
const syncEvery = time.Second

func options(dir, host string, port int, maxStore int64, cert tls.Certificate) server.Options {
	return server.Options{
		ServerName: "upflab-hub", Host: host, Port: port, NoSigs: true, MaxPayload: maxPayload, MaxSubs: maxSubs,
		JetStream: true, StoreDir: filepath.Join(dir, "messages"), SyncInterval: syncEvery, JetStreamMaxStore: maxStore,
		PingInterval: 2 * time.Second, MaxPingsOut: 2, // a host that is gone is noticed within 6 s
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}, TLS: true, TLSTimeout: 5,
		AuthTimeout: 6,
	}
}

// users are the members as the server wants them.
func (h *Hub) users() (list []*server.NkeyUser) {
	for _, m := range slices.Concat(h.ring.Members, h.own) {
		u := &server.NkeyUser{Nkey: m.Key}
		if !m.Operator {
			r := fleet.RightsOf(m.Name, m.Testbeds, m.With)
			u.Permissions = &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: r.Publish},
				Subscribe: &server.SubjectPermission{Allow: r.Subscribe},
			}
		}
		list = append(list, u)
	}
	return list
}

// machineHosts are the names and addresses of this machine.
func machineHosts(listen string) (hosts []string) {
	if ip := net.ParseIP(listen); ip != nil && !ip.IsUnspecified() {
		return []string{listen}
	}
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			hosts = append(hosts, n.IP.String())
		}
	}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	return append(hosts, "127.0.0.1")
}

// dial connects to the server within the process, so that no network takes part, or to the
// NATS server that is in its place.
func (h *Hub) dial() (*nats.Conn, error) {
	// An agent that asks too much is dropped, and that is no error.
	quiet := nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})
	if h.server == nil {
		return h.client.Connect(quiet)
	}
	pass, err := h.client.Pass.Options()
	if err != nil {
		return nil, err
	}
	c, err := nats.Connect("", append(pass, quiet, nats.InProcessServer(h.server), nats.MaxReconnects(-1), nats.ReconnectWait(fleet.Pause/10),
		nats.CustomInboxPrefix(fleet.InboxPrefix("")))...)
	if err != nil {
		return nil, fmt.Errorf("reach the hub's own server: %w", err)
	}
	return c, nil
}

// logger keeps the server's last complaint.
type logger struct {
	mu   sync.Mutex
	text string
}

func (l *logger) note(format string, args ...any) {
	l.mu.Lock()
	l.text = fmt.Sprintf(format, args...)
	l.mu.Unlock()
}

func (l *logger) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == "" {
		return "it gave no reason"
	}
	return l.text
}

// The server's levels of logging; only what is wrong matters here.
func (l *logger) Noticef(string, ...any)            {}
func (l *logger) Debugf(string, ...any)             {}
func (l *logger) Tracef(string, ...any)             {}
func (l *logger) Warnf(format string, args ...any)  { l.note(format, args...) }
func (l *logger) Errorf(format string, args ...any) { l.note(format, args...) }
func (l *logger) Fatalf(format string, args ...any) { l.note(format, args...) }
