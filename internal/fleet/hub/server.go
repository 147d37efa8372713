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
	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
)

// maxPayload is the largest message, octets: four times the largest job.
const maxPayload = 1 << 20

// syncEvery is how much of what was acknowledged a failure of the machine's power may
// take. Killing the hub takes nothing: the kernel has what it wrote.
const syncEvery = time.Second

func options(dir, host string, port int, maxStore int64, cert tls.Certificate) server.Options {
	return server.Options{
		ServerName: "upflab-hub", Host: host, Port: port, NoSigs: true, MaxPayload: maxPayload,
		JetStream: true, StoreDir: filepath.Join(dir, "messages"), SyncInterval: syncEvery, JetStreamMaxStore: maxStore,
		PingInterval: 2 * time.Second, MaxPingsOut: 2, // a host that is gone is noticed within 6 s
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}, TLS: true, TLSTimeout: 5,
		AuthTimeout: 6,
	}
}

// answersFor is how long a question may be answered.
const answersFor = 5 * time.Minute

// users are the members as the server wants them.
func (h *Hub) users() (list []*server.NkeyUser) {
	for _, m := range slices.Concat(h.ring.Members, h.own) {
		u := &server.NkeyUser{Nkey: m.Key}
		if !m.Operator {
			r := fleet.RightsOf(m.Name, m.Testbeds, m.With)
			u.Permissions = &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: r.Publish},
				Subscribe: &server.SubjectPermission{Allow: r.Subscribe},
				Response:  &server.ResponsePermission{MaxMsgs: 1, Expires: answersFor},
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

// inside is a connection within the process: no network takes part.
type inside struct {
	NATS *nats.Conn
	JS   jetstream.JetStream
}

func (h *Hub) dial() (c inside, err error) {
	pass, err := h.desk.Pass.Options()
	if err != nil {
		return c, err
	}
	if c.NATS, err = nats.Connect("", append(pass, nats.InProcessServer(h.server))...); err != nil {
		return c, fmt.Errorf("reach the hub's own server: %w", err)
	}
	c.JS, err = jetstream.New(c.NATS)
	return c, err
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
