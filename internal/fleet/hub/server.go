package hub

import (
	"fmt"
	"net"
	"os"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/fleet"
)

// user is a member as the server wants it.
type user struct {
	key    string
	rights *fleet.Rights // nil: all
}

// users are the members.
func (h *Hub) users() (list []user) {
	for _, m := range slices.Concat(h.ring.Members, h.own) {
		u := user{key: m.Key}
		if !m.Operator {
			r := fleet.RightsOf(m.Name, m.Testbeds, m.With)
			u.rights = &r
		}
		list = append(list, u)
	}
	return list
}

// limit has the server close connections of agents that ask too much of it.
func (h *Hub) limit() error {
	agents := map[string]bool{}
	for _, m := range h.ring.Members {
		agents[m.Key] = !m.Operator
	}
	return h.broker.limit(agents)
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
	if h.broker == nil {
		return h.client.Connect(quiet)
	}
	pass, err := h.client.Pass.Options()
	if err != nil {
		return nil, err
	}
	c, err := nats.Connect("", append(pass, quiet, h.broker.inside(), nats.MaxReconnects(-1), nats.ReconnectWait(fleet.Pause/10),
		nats.CustomInboxPrefix(fleet.InboxPrefix("")))...)
	if err != nil {
		return nil, fmt.Errorf("reach the hub's own server: %w", err)
	}
	return c, nil
}
