package hub

import (
	"crypto/tls"
	"fmt"

	"github.com/upflab/upflab/internal/fleet"
)

// readKeys takes keys and members from a folder that it does not write to. For itself the hub
// makes a key that nobody else has, so the operator's pass need not be there.
func (h *Hub) readKeys(c Config, host string, port int) error {
	h.keys = c.Keys
	cert, err := tls.LoadX509KeyPair(certificatePath(h.keys), keyPath(h.keys))
	if err != nil {
		return fmt.Errorf("read the hub's certificate: %w; `upflab hub add NAME --dir FOLDER --hub HOST:PORT` makes a folder of keys", err)
	}
	h.broker = newBroker(h.dir, host, port, c.MaxStore, cert)
	h.read = h.changed()
	if h.ring, err = readKeyring(h.keys); err != nil {
		return err
	}
	var self keyring
	p, err := self.add(h.keys, member{Name: fleet.OperatorName, Operator: true}, nil)
	h.own, h.client.Pass = self.Members, &p
	return err
}
