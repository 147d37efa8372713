package upf

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/upflab/upflab/upf/control"
	"github.com/upflab/upflab/upf/datapath"
)

// getTop sends a line for each interval until the client goes away, of at most ?lines=N
// sessions.
func (v inspector) getTop(w http.ResponseWriter, r *http.Request) {
	interval, err := time.ParseDuration(cmp.Or(r.FormValue("interval"), "1s"))
	if err != nil || interval < 100*time.Millisecond || interval > time.Minute {
		http.Error(w, "interval: give 100ms to 1m", http.StatusBadRequest)
		return
	}
	lines, err := strconv.Atoi(cmp.Or(r.FormValue("lines"), "20"))
	if err != nil || lines < 1 {
		http.Error(w, "lines: give 1 or more", http.StatusBadRequest)
		return
	}
	if v.can.Watch == nil {
		http.Error(w, fmt.Sprintf("datapath.kind %s does not count packets by session", v.kind), http.StatusNotImplemented)
		return
	}
	watch, err := v.can.Watch()
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer watch.Close()
	t := top{of: v, watch: watch, lines: lines, at: time.Now()}
	t.last, _ = watch.Counts()
	for tick := time.NewTicker(interval); ; {
		select {
		case <-r.Context().Done():
			tick.Stop()
			return
		case now := <-tick.C:
			line, err := t.next(now)
			if err != nil || json.NewEncoder(w).Encode(line) != nil {
				return
			}
			http.NewResponseController(w).Flush()
		}
	}
}

// top turns counts into rates of sessions.
type top struct {
	of     inspector
	watch  datapath.Watch
	lines  int
	at     time.Time
	last   map[datapath.WatchKey]datapath.WatchCount
	owners map[datapath.WatchKey]owner
}

// owner is whose packets with a key are.
type owner struct {
	seid uint64
	ue   string
}

func (t *top) next(now time.Time) (control.Top, error) {
	counts, err := t.watch.Counts()
	if err != nil {
		return control.Top{}, err
	}
	seconds := now.Sub(t.at).Seconds()
	bySession := map[uint64]*control.TopLine{}
	looked := false
	for k, c := range counts {
		grown := since(c, t.last[k])
		if grown.Packets == 0 {
			continue
		}
		who, known := t.owners[k]
		if !known && !looked {
			t.findOwners()
			looked = true
			who, known = t.owners[k]
		}
		if known {
			add(bySession, who, k, grown, seconds)
		}
	}
	t.last, t.at = counts, now
	list := control.Top{Seconds: seconds, Active: len(bySession), Total: t.of.n4.Counters().Sessions,
		Drops: t.of.kind == "xdp"}
	for _, line := range bySession {
		list.Sessions = append(list.Sessions, *line)
	}
	slices.SortFunc(list.Sessions, busiest)
	list.Sessions = list.Sessions[:min(len(list.Sessions), t.lines)]
	return list, nil
}

func busiest(a, b control.TopLine) int {
	return cmp.Or(cmp.Compare(b.UplinkPPS+b.DownlinkPPS, a.UplinkPPS+a.DownlinkPPS), cmp.Compare(a.SEID, b.SEID))
}

// since is what came after an earlier count; all, when it began again.
func since(c, last datapath.WatchCount) datapath.WatchCount {
	if c.Packets < last.Packets {
		return c
	}
	return datapath.WatchCount{Packets: c.Packets - last.Packets, Octets: c.Octets - last.Octets, Dropped: c.Dropped - last.Dropped}
}

func add(to map[uint64]*control.TopLine, who owner, k datapath.WatchKey, c datapath.WatchCount, seconds float64) {
	line := to[who.seid]
	if line == nil {
		line = &control.TopLine{SEID: control.SEID(who.seid), UE: who.ue}
		to[who.seid] = line
	}
	packets, bits := &line.UplinkPPS, &line.UplinkBPS
	if k.UE.IsValid() {
		packets, bits = &line.DownlinkPPS, &line.DownlinkBPS
	}
	*packets += float64(c.Packets) / seconds
	*bits += float64(8*c.Octets) / seconds
	line.DroppedPPS += float64(c.Dropped) / seconds
}

// findOwners looks all sessions up by what their packets have. A prefix of a UE is known
// by its first 64 bits.
func (t *top) findOwners() {
	t.owners = map[datapath.WatchKey]owner{}
	t.of.n4.Sessions(func(i sessionInfo) bool {
		one := t.of.describe(i)
		who := owner{seid: i.SEID}
		if len(one.UEs) > 0 {
			who.ue = prefixText(one.UEs[0])
		}
		for _, k := range watchKeys(one) {
			t.owners[k] = who
		}
		return true
	})
}

func prefixText(p netip.Prefix) string {
	if p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}

// watchKeys are what a session's packets are known by.
func watchKeys(s control.Session) (keys []datapath.WatchKey) {
	for _, tunnel := range s.Tunnels {
		if tunnel.Local {
			keys = append(keys, datapath.WatchKey{TEID: uint32(tunnel.TEID)})
		}
	}
	for _, p := range s.UEs {
		keys = append(keys, datapath.WatchUE(p.Addr()))
	}
	return keys
}
