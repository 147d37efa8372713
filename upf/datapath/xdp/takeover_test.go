package xdp

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/xdp/pin"
	"github.com/upflab/upflab/upf/session"
)

// pinnedLab is a network with a folder for pins.
func pinnedLab(t *testing.T) Config {
	t.Helper()
	buildNetwork(t)
	cfg := labConfig()
	cfg.Pins = filepath.Join(t.TempDir(), "bpf")
	t.Cleanup(func() { must(t, "clear", pin.Clear(cfg.Pins)) })
	return cfg
}

// take opens a datapath that takes over with the sessions.
func take(t *testing.T, cfg Config, sessions []*session.Rules) *Datapath {
	t.Helper()
	d, err := Open(cfg)
	must(t, "Open", err)
	must(t, "Apply", d.Apply(additions(sessions)))
	must(t, "Start", d.Start())
	return d
}

func leave(t *testing.T, d *Datapath) {
	t.Helper()
	d.Leave()
	must(t, "Close", d.Close())
}

// counted are the frames' sessions with a URR that counts both directions of them.
func counted() []*session.Rules {
	all := frameSessions()
	for _, r := range all {
		r.URRs = []session.URR{{ID: 7}}
		for i := range r.PDRs {
			r.PDRs[i].URRs = []uint32{7}
		}
	}
	return all
}

// TestTakeover has packets go on while nobody runs, and counts go on with the next.
func TestTakeover(t *testing.T) {
	for _, mode := range []Mode{Native, Generic, Auto} {
		t.Run(string(mode), func(t *testing.T) {
			cfg := pinnedLab(t)
			cfg.Mode = mode
			sessions := counted()
			first := take(t, cfg, sessions)
			gnb, dn := openTap(t, "n3p"), openTap(t, "n6p")
			in, out := liveFrame(t, "n3 psc")
			send := func(who string) {
				t.Helper()
				gnb.send(t, in)
				dn.expect(t, "a packet with "+who, exactly(out))
			}
			send("the first")
			before := usageSum(t, first, sessions)
			leave(t, first)
			send("nobody")
			second := take(t, cfg, sessions)
			send("the second")
			if got := usageSum(t, second, sessions); before != 1 || got != 3 {
				t.Errorf("%d packets counted before, %d after; 1 and 3 were sent", before, got)
			}
			c, err := second.Counters()
			if err != nil || c.Uplink.Packets != 3 {
				t.Errorf("%d packets uplink in all, %v; want 3", c.Uplink.Packets, err)
			}
			must(t, "Close", second.Close())
			gnb.send(t, in)
			time.Sleep(50 * time.Millisecond) // one that passes would have arrived by then
			if dn.saw(exactly(out)) {
				t.Error("a packet goes on after the end")
			}
			if left, _ := os.ReadDir(cfg.Pins); len(left) != 0 || mounted(cfg.Pins) {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestTakeoverOfOtherDevices: the devices are gone and new ones have their indices, as when a
// container starts again with the folder of its UPF.
func TestTakeoverOfOtherDevices(t *testing.T) {
	cfg := pinnedLab(t)
	sessions := counted()
	leave(t, take(t, cfg, sessions))
	for _, name := range []string{"n3", "n6"} {
		was, err := netlink.LinkByName(name)
		must(t, "find "+name, err)
		must(t, "delete "+name, netlink.LinkDel(was))
		again := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: name, Index: was.Attrs().Index}, PeerName: name + "p"}
		must(t, "add "+name, netlink.LinkAdd(again))
	}
	must(t, "take the folder over", startOver(cfg, sessions))
}

// startOver takes over and ends.
func startOver(cfg Config, sessions []*session.Rules) error {
	d, err := Open(cfg)
	if err != nil {
		return err
	}
	return errors.Join(d.Apply(additions(sessions)), d.Start(), d.Close())
}

func usageSum(t *testing.T, d *Datapath, sessions []*session.Rules) (packets uint64) {
	t.Helper()
	for _, r := range sessions {
		u, err := d.Usage(r.SEID, 7)
		must(t, "Usage", err)
		packets += u.Uplink.Packets
	}
	return packets
}

// TestTakeoverForgets: what no session has any more is not kept, and a changed size of
// the tables is no hindrance.
func TestTakeoverForgets(t *testing.T) {
	cfg := pinnedLab(t)
	sessions := counted()
	leave(t, take(t, cfg, sessions))
	second := take(t, cfg, sessions[:1])
	if n := second.usages.table.Used(); n != 1 {
		t.Errorf("%d usages are kept, want that of the one session", n)
	}
	leave(t, second)
	cfg.MaxSessions = 2 * DefaultSessions
	cfg.Mode = Generic
	third := take(t, cfg, sessions)
	gnb, dn := openTap(t, "n3p"), openTap(t, "n6p")
	in, out := liveFrame(t, "n3 psc")
	gnb.send(t, in)
	dn.expect(t, "a packet in another mode", exactly(out))
	must(t, "Close", third.Close())
}

// TestTakeoverAlarm: an alarm is raised again for the process that takes over.
func TestTakeoverAlarm(t *testing.T) {
	cfg := pinnedLab(t)
	sessions := counted()
	for _, r := range sessions {
		r.URRs[0].Alarm = session.Octets{Total: 1}
	}
	in, out := liveFrame(t, "n3 psc")
	for range 2 {
		d, err := Open(cfg)
		must(t, "Open", err)
		alarms := make(chan uint64, 10)
		d.OnAlarm(func(seid uint64, _ session.URRKey) { alarms <- seid })
		must(t, "Apply", d.Apply(additions(sessions)))
		must(t, "Start", d.Start())
		gnb, dn := openTap(t, "n3p"), openTap(t, "n6p")
		gnb.send(t, in)
		dn.expect(t, "the packet", exactly(out))
		select {
		case <-alarms:
		case <-time.After(10 * time.Second):
			t.Fatal("no alarm")
		}
		leave(t, d)
	}
}

// TestResume: without the maps of an earlier process, counts begin where it is told.
func TestResume(t *testing.T) {
	cfg := pinnedLab(t)
	sessions := counted()[:1]
	at := time.Now().Add(-time.Minute)
	d, err := Open(cfg)
	must(t, "Open", err)
	d.Resume(sessions[0].SEID, 7, session.Usage{Uplink: session.Count{Packets: 5, Octets: 500}, First: at})
	must(t, "Apply", d.Apply(additions(sessions)))
	u, err := d.Usage(sessions[0].SEID, 7)
	if err != nil || u.Uplink != (session.Count{Packets: 5, Octets: 500}) || u.First.Sub(at).Abs() > time.Second {
		t.Errorf("usage %+v, %v", u, err)
	}
	must(t, "Close", d.Close())
}

// mounted reports whether a BPF file system is there.
func mounted(dir string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(dir, &fs) == nil && fs.Type == unix.BPF_FS_MAGIC
}
