package upf

import (
	"reflect"

	"github.com/upflab/upflab/upf/pfcp"
)

// Reload takes over what a new configuration changes and can change without loss:
// n4.smfs, limits and heartbeat. The level of the log is the logger's maker's. It gives
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
	u.pfcp.Reload(pfcp.Tunables{SMFs: cfg.N4.SMFs, Limits: cfg.Limits, Heartbeat: cfg.Heartbeat})
	u.mu.Lock()
	defer u.mu.Unlock()
	u.cfg.N4.SMFs, u.cfg.Limits, u.cfg.Heartbeat, u.cfg.LogLevel = cfg.N4.SMFs, cfg.Limits, cfg.Heartbeat, cfg.LogLevel
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
