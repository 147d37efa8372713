package upf

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/upflab/upflab/upf/journal"
	"github.com/upflab/upflab/upf/n4"
)

// State is where sessions are kept for a later process.
type State struct {
	// Directory, state.directory: a folder of this UPF's alone. When empty, sessions end
	// with the process.
	Directory string
	// Fresh, state.fresh: what an earlier process kept is dropped at the start.
	Fresh bool
}

// Pins is the folder for programs that outlive the process; "" when sessions do not.
func (s State) Pins() string {
	if s.Directory == "" {
		return ""
	}
	return filepath.Join(s.Directory, "bpf")
}

// Kept is an open State: no other process can open it.
type Kept struct {
	journal *journal.Journal
	held    journal.Held
	warn    complaint
}

// Open takes the folder; nil when there is none.
func (s State) Open(log *slog.Logger) (*Kept, error) {
	if s.Directory == "" {
		return nil, nil
	}
	k := &Kept{warn: complaint{log: log}}
	var err error
	k.journal, k.held, err = journal.Open(s.Directory, k.warn.failed)
	if err != nil {
		return nil, err
	}
	if n := k.held.Damaged; n > 0 && log != nil {
		log.Warn("records of an earlier process are damaged: what they held is lost", "directory", s.Directory, "records", n)
	}
	return k, nil
}

// Remove drops what is kept, and gives the folder back.
func (k *Kept) Remove() error {
	if k == nil {
		return nil
	}
	return k.journal.Remove()
}

// Close gives the folder back, with all that is kept.
func (k *Kept) Close() error {
	if k == nil {
		return nil
	}
	return k.journal.Close()
}

// complaint logs once a minute that nothing can be kept.
type complaint struct {
	log  *slog.Logger
	mu   sync.Mutex
	last time.Time
}

func (c *complaint) failed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.log == nil || time.Since(c.last) < time.Minute {
		return
	}
	c.last = time.Now()
	c.log.Error("sessions cannot be kept for a restart: free room in state.directory", "err", err)
}

// identity is what CP functions and gNBs know a UPF by; kept sessions hold for no other.
type identity struct {
	NodeID string
	N4, N3 netip.Addr
}

// keptIdentity is the first thing that is kept.
type keptIdentity struct {
	identity
	Recovery uint32
}

const keyIdentity = "identity"

func (c Config) identity() identity { return identity{c.NodeID, c.N4.Address.Addr(), c.N3.Address} }

// restore brings back what an earlier process kept, where it fits the configuration, and
// keeps the identity.
func (u *UPF) restore() error {
	k := u.cfg.Kept
	if k == nil {
		return nil
	}
	if why := u.tryRestore(k); why != nil {
		u.log.Warn("what an earlier process kept is dropped: the UPF begins anew", "why", why)
		for key := range k.held.Values {
			k.journal.Forget(key)
		}
	}
	k.held = journal.Held{}
	k.journal.Put(keyIdentity, keptIdentity{u.cfg.identity(), u.n4.Recovery()})
	return nil
}

// tryRestore says why nothing was restored; nil where there was nothing, too.
func (u *UPF) tryRestore(k *Kept) error {
	text, has := k.held.Values[keyIdentity]
	switch {
	case !has && len(k.held.Values) == 0:
		return nil
	case !has:
		return errors.New("it does not say of which UPF it is")
	}
	var was keptIdentity
	if err := json.Unmarshal(text, &was); err != nil {
		return err
	}
	delete(k.held.Values, keyIdentity)
	if now := u.cfg.identity(); was.identity != now {
		return fmt.Errorf("it is of a UPF with node_id %s, n4.address %v and n3.address %v, and these are %s, %v "+
			"and %v now: SMFs and gNBs use the old ones",
			was.NodeID, was.N4, was.N3, now.NodeID, now.N4, now.N3)
	}
	if u.cfg.State.Fresh {
		return errors.New("state.fresh is set")
	}
	began := time.Now()
	r := u.n4.Restore(n4.Kept{Recovery: was.Recovery, Values: k.held.Values, Damaged: k.held.Damaged})
	u.log.Info("sessions of an earlier process go on", "associations", r.Associations, "sessions", r.Sessions, "lost", r.Lost,
		"took", time.Since(began).Round(time.Millisecond))
	return nil
}

// startDatapath has packets go by the rules that are there now.
func (u *UPF) startDatapath() error {
	if u.can.Persistent != nil {
		return u.can.Persistent.Start()
	}
	return nil
}

// HandOver has Run leave sessions, and packets where the datapath can, to a later
// process. It is called before Run's context is done. Without state.directory it does
// nothing.
func (u *UPF) HandOver() { u.handOver.Store(true) }

// settleState ends what is kept, or leaves it to a later process: after a failure, too.
func (u *UPF) settleState(failed error) error {
	k := u.cfg.Kept
	if k == nil {
		return nil
	}
	if failed == nil && !u.handOver.Load() {
		return k.Remove()
	}
	u.n4.KeepAll()
	if u.can.Persistent != nil {
		u.can.Persistent.Leave()
	}
	u.log.Info("sessions are left to the next process", "sessions", u.n4.Counters().Sessions)
	return k.Close()
}

// Reload takes over what a new configuration changes and can change without loss:
// n4.smfs, n4.sets, limits and heartbeat. The level of the log is the logger's maker's. It gives
// the keys that changed and hold now, and those that need a restart; these keep their
// old values.
func (u *UPF) Reload(cfg Config) (now, restart []string) {
	for _, k := range reloadKeys(u.config(), cfg) {
		switch {
		case reflect.DeepEqual(k.old, k.new):
		case k.live:
			now = append(now, k.name)
		default:
			restart = append(restart, k.name)
		}
	}
	u.n4.Reload(n4.Tunables{SMFs: cfg.N4.SMFs, Sets: cfg.N4.Sets, Limits: cfg.Limits, Heartbeat: cfg.Heartbeat})
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cfg.N4.SMFs, u.cfg.N4.Sets, u.cfg.Limits, u.cfg.Heartbeat, u.cfg.LogLevel = cfg.N4.SMFs, cfg.N4.Sets, cfg.Limits, cfg.Heartbeat, cfg.LogLevel
	return now, restart
}

// config is the configuration as it holds now.
func (u *UPF) config() Config {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.cfg
}

// reloadKey is a key of the file with its two values.
type reloadKey struct {
	name     string
	live     bool // it can change while the UPF runs
	old, new any
}

func reloadKeys(a, b Config) []reloadKey {
	return []reloadKey{
		{"n4.smfs", true, a.N4.SMFs, b.N4.SMFs},
		{"n4.sets", true, a.N4.Sets, b.N4.Sets},
		{"limits", true, a.Limits, b.Limits},
		{"heartbeat", true, a.Heartbeat, b.Heartbeat},
		{"log_level", true, a.LogLevel, b.LogLevel},
		{"log_format", false, a.LogJSON, b.LogJSON},
		{"node_id", false, a.NodeID, b.NodeID},
		{"n4.address", false, a.N4.Address, b.N4.Address},
		{"n4.interface", false, a.N4.Interface, b.N4.Interface},
		{"n3", false, a.N3, b.N3},
		{"n6", false, a.N6, b.N6},
		{"datapath", false, a.Datapath, b.Datapath},
		{"ue_pool", false, a.UEPools, b.UEPools},
		{"allocate_ue", false, a.AllocateUE, b.AllocateUE},
		{"predefined_rules", false, a.Predefined, b.Predefined},
		{"allow", false, a.Allow, b.Allow},
		{"max_sessions", false, a.MaxSessions, b.MaxSessions},
		{"buffering", false, a.Buffering, b.Buffering},
		{"smf", false, a.SMFs, b.SMFs},
		{"graceful_release", false, a.GracefulRelease, b.GracefulRelease},
		{"realtime", false, a.Realtime, b.Realtime},
		{"echo", false, a.Echo, b.Echo},
		{"socket", false, a.Socket, b.Socket},
		{"state", false, a.State, b.State},
		{"api.address", false, a.API, b.API},
	}
}
