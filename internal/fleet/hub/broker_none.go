//go:build nohub

package hub

import (
	"crypto/tls"
	"errors"

	"github.com/nats-io/nats.go"
)

// broker would be the hub's own NATS server.
type broker struct{ listen int }

func newBroker(_, _ string, port int, _ int64, _ tls.Certificate) *broker { return &broker{port} }

func (*broker) start([]user) error {
	return errors.New("this upflab was built without a hub's server (tag nohub): name a NATS server by --nats, or take another upflab")
}

func (*broker) reload([]user) error         { return nil }
func (*broker) limit(map[string]bool) error { return nil }
func (b *broker) port() int                 { return b.listen }
func (*broker) store() int64                { return 0 }
func (*broker) inside() nats.Option         { return nil }
func (*broker) close()                      {}
