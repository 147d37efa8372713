//go:build !nohub

package hub

import (
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
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

// broker is the hub's own NATS server. Built with the tag nohub, upflab has none, and is 10 MB lighter.
type broker struct {
	server *server.Server
	config server.Options   // but for the members
	sent   map[uint64]int64 // messages, by connection, when they were last looked at
}

// maxListed is how many connections are looked at.
const maxListed = 65_536

// syncEvery is how much of what was acknowledged a failure of the machine's power may
// take. Killing the hub takes nothing: the kernel has what it wrote.
const syncEvery = time.Second

// newBroker configures a server. Port 0: any.
func newBroker(dir, host string, port int, maxStore int64, cert tls.Certificate) *broker {
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return &broker{config: server.Options{
		ServerName: "upflab-hub", Host: host, Port: port, NoSigs: true, MaxPayload: maxPayload, MaxSubs: maxSubs,
		JetStream: true, StoreDir: filepath.Join(dir, "messages"), SyncInterval: syncEvery, JetStreamMaxStore: maxStore,
		PingInterval: 2 * time.Second, MaxPingsOut: 2, // a host that is gone is noticed within 6 s
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}, TLS: true, TLSTimeout: 5,
		AuthTimeout: 6,
	}}
}

// with are the options with users.
func (b *broker) with(users []user) *server.Options {
	config := b.config
	for _, u := range users {
		one := &server.NkeyUser{Nkey: u.key}
		if u.rights != nil {
			one.Permissions = &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: u.rights.Publish},
				Subscribe: &server.SubjectPermission{Allow: u.rights.Subscribe},
			}
		}
		config.Nkeys = append(config.Nkeys, one)
	}
	return &config
}

// start starts it.
func (b *broker) start(users []user) error {
	s, err := server.NewServer(b.with(users))
	if err != nil {
		return fmt.Errorf("start the hub: %w", err)
	}
	b.server = s
	log := &logger{}
	s.SetLoggerV2(log, false, false, false)
	s.Start()
	const patience = 30 * time.Second // it reads all messages
	if !s.ReadyForConnections(patience) || !s.JetStreamEnabled() {
		return fmt.Errorf("the hub did not start at %s: %s", net.JoinHostPort(b.config.Host, strconv.Itoa(b.config.Port)), log.last())
	}
	b.config.Port = s.Addr().(*net.TCPAddr).Port
	return nil
}

// reload has other users in force.
func (b *broker) reload(users []user) error { return b.server.ReloadOptions(b.with(users)) }

// port is where it listens.
func (b *broker) port() int { return b.config.Port }

// store is the room for messages, octets.
func (b *broker) store() int64 { return b.server.JetStreamConfig().MaxStore }

// inside connects within the process, so that no network takes part.
func (b *broker) inside() nats.Option { return nats.InProcessServer(b.server) }

// limit closes connections of agents, by their keys, that have too many of them, the newest first, or too many
// subscriptions, and those that send without end.
func (b *broker) limit(agents map[string]bool) error {
	list, err := b.server.Connz(&server.ConnzOptions{Username: true, Sort: server.ByCid, Limit: maxListed})
	if err != nil {
		return fmt.Errorf("look at who is connected: %w", err)
	}
	mine, sent := map[string]int{}, map[uint64]int64{}
	for _, c := range list.Conns {
		mine[c.AuthorizedUser]++
		sent[c.Cid] = c.InMsgs
		tooMuch := c.InMsgs-b.sent[c.Cid] > maxMessages || c.NumSubs > maxAgentSubs || mine[c.AuthorizedUser] > maxConnections
		if agents[c.AuthorizedUser] && tooMuch {
			_ = b.server.DisconnectClientByID(c.Cid) // one that has gone by itself is an error
		}
	}
	b.sent = sent
	return nil
}

// close ends it in order, where it has started.
func (b *broker) close() {
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
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
