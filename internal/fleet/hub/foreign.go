package hub

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/upflab/upflab/internal/fleet"
)

// MakeForeign makes the folder of keys for a NATS server or cluster that exists, at an
// address: the operator's pass and the list of members. In a folder that has them it only
// changes the address.
func MakeForeign(dir, url string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of keys: %w", err)
	}
	k, err := readKeyring(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(k.Members) > 0 && !k.Foreign {
		return fmt.Errorf("%s has the keys of a hub with its own server: choose another folder", dir)
	}
	k.URLs, k.Foreign = strings.Split(url, ","), true
	h := &Hub{dir: dir, keys: dir, ring: k}
	if err := h.operator(); err != nil {
		return err
	}
	h.client.Pass.URLs = k.URLs
	return errors.Join(h.ring.write(dir), writePass(OperatorPass(dir), *h.client.Pass))
}

// ForeignRights are those of the agents of a folder that MakeForeign made; of another folder
// none: a hub's own server knows them.
func ForeignRights(dir string) (rights map[string]fleet.Rights, err error) {
	k, err := readKeyring(dir)
	rights = map[string]fleet.Rights{}
	for _, m := range k.Members {
		if k.Foreign && !m.Operator {
			rights[m.Name] = fleet.RightsOf(m.Name, m.Testbeds, m.With)
		}
	}
	return rights, err
}

// useForeign takes the members of a folder that MakeForeign made, and the operator's access.
func (h *Hub) useForeign(a fleet.Access) (err error) {
	if h.ring, err = readKeyring(h.dir); err != nil {
		return fmt.Errorf("%w: `upflab hub prepare --nats URL --dir %s` makes the keys", err, h.dir)
	}
	if _, err := h.ring.operatorOf(h.dir); err != nil {
		return err
	}
	p, err := fleet.ReadPass(OperatorPass(h.dir))
	a.Pass, h.client = &p, a
	h.read = h.changed()
	return err
}
