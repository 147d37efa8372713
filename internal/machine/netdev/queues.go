package netdev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/ethtool"
)

// Queues are those of a port, and how its NIC spreads what it receives over them.
type Queues struct{ of *Port }

// Queues are the port's.
func (p *Port) Queues() Queues { return Queues{p} }

// Receiving is how many receive queues the port uses, at least 1.
func (q Queues) Receiving() (n int, err error) {
	err = q.of.NS.doWithSysfs(func() error {
		queues, err := filepath.Glob("/sys/class/net/" + q.of.Name + "/queues/rx-*")
		if err == nil && len(queues) == 0 {
			err = fmt.Errorf("%s has no receive queues: is it still there?", q.of.Name)
		}
		n = len(queues)
		return err
	})
	return n, err
}

// Channels are a port's queues, as `ethtool -l` shows them. Of most drivers a queue receives and
// sends (Combined); of some it does one of these.
type Channels struct {
	Combined uint32 `json:"combined,omitempty"`
	Receive  uint32 `json:"receive,omitempty"`
	Send     uint32 `json:"send,omitempty"`
}

// Receiving is how many queues receive.
func (c Channels) Receiving() uint32 { return c.Combined + c.Receive }

// Channels are those that the port has now, and the most it can have; nothing of a driver that
// does not say.
func (q Queues) Channels() (now, most Channels, err error) {
	p := q.of.device()
	err = p.NS.Do(func() error {
		m, c, err := ethtool.ChannelsOf(p.Name)
		if errors.Is(err, unix.EOPNOTSUPP) {
			return nil
		}
		now, most = Channels{c.Combined, c.Receive, c.Send}, Channels{m.Combined, m.Receive, m.Send}
		return err
	})
	if err != nil {
		return now, most, fmt.Errorf("read the queues of %s: %w", p.Name, err)
	}
	return now, most, nil
}

// SetChannels gives the port so many queues. Some drivers stop for a moment for that.
func (q Queues) SetChannels(want Channels) error {
	p := q.of.device()
	return p.NS.Do(func() error {
		_, c, err := ethtool.ChannelsOf(p.Name)
		if err == nil {
			c.Combined, c.Receive, c.Send = want.Combined, want.Receive, want.Send
			err = ethtool.SetChannels(p.Name, c)
		}
		if err != nil {
			return fmt.Errorf("give %s %d queues: %w", p.Name, want.Receiving(), err)
		}
		return nil
	})
}

// Set gives the port n queues that receive, and as many that send. The error names the most
// it can have.
func (q Queues) Set(n int) error {
	now, most, err := q.Channels()
	if err != nil {
		return err
	}
	want, limit := queues(now, most, uint32(n))
	switch {
	case most == Channels{}:
		return fmt.Errorf("give %s %d queues: its driver has no setting for that; set queues to 1, which leaves the port as it is", q.of.Name, n)
	case uint32(n) > limit:
		return fmt.Errorf("give %s %d queues: it has %d at most (`ethtool -l %s`); set queues to that or less", q.of.Name, n, limit, q.of.Name)
	case want == now:
		return nil
	}
	return q.SetChannels(want)
}

// queues is how a port gets n queues: combined ones where it can have these.
func queues(now, most Channels, n uint32) (want Channels, limit uint32) {
	if most.Combined > 0 {
		return Channels{Combined: n, Receive: 0, Send: 0}, most.Combined
	}
	return Channels{Receive: n, Send: n}, min(most.Receive, most.Send)
}

// Speed is how fast the port's link is, bits/s, one way; 0: not known, as of a device without
// hardware, or of a virtual one that says no speed.
func (p *Port) Speed() (bitsPerS uint64) {
	p = p.device()
	p.NS.doWithSysfs(func() error {
		bitsPerS = speedIn("/sys/class/net/" + p.Name)
		return nil
	})
	return bitsPerS
}

// speedIn reads it in a device's folder of sysfs. A veth says 10 Gbit/s, which mean nothing.
func speedIn(dir string) uint64 {
	if _, err := os.Stat(filepath.Join(dir, "device")); err != nil {
		return 0
	}
	b, _ := os.ReadFile(filepath.Join(dir, "speed")) // cannot be read of a device that is down
	mbits, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil || mbits <= 0 {
		return 0
	}
	return uint64(mbits) * 1e6
}
