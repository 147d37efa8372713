package hub

import (
	"context"
	"os"
	"time"
)

// lookEvery is how often a hub looks whether its members have changed.
const lookEvery = 500 * time.Millisecond

// Serve runs until ctx ends, and lets members in and out as the file of members changes.
// notice is told of each change, and of what went wrong with it.
func (h *Hub) Serve(ctx context.Context, notice func(string)) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case text := <-h.notice:
			notice(text)
			continue
		case <-tick.C:
		}
		if h.broker != nil {
			if err := h.limit(); err != nil {
				notice(err.Error())
			}
		}
		if now := h.changed(); now != h.read {
			h.read = now
			if err := h.reload(ctx); err != nil {
				notice("the new list of members is not in force: " + err.Error())
			} else {
				notice("the list of members has changed")
			}
		}
	}
}

func (h *Hub) changed() time.Time {
	info, err := os.Stat(keyringPath(h.keys))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func (h *Hub) reload(ctx context.Context) error {
	k, err := readKeyring(h.keys)
	if err != nil {
		return err
	}
	h.ring.Members = k.Members
	if h.broker != nil {
		if err := h.broker.reload(h.users()); err != nil {
			return err
		}
	}
	if err := h.prepare(ctx, h.conn.NATS); err != nil {
		return err
	}
	return h.front.admit(k.Members)
}
