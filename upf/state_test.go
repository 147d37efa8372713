package upf

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"bytes"
	"log/slog"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/control"
	"github.com/upflab/upflab/upf/datapath/memory"
	"github.com/upflab/upflab/upf/session"
)

// life is a UPF's from start to end, with a folder that outlives it.
type life struct {
	*UPF
	dp     *memory.Datapath
	client *control.Client
	log    *bytes.Buffer
	end    func()
}

func begin(t *testing.T, cfg Config) *life {
	t.Helper()
	dp, text := memory.New(0), &bytes.Buffer{}
	u, err := New(cfg, dp, slog.New(slog.NewTextHandler(text, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- u.Run(ctx) }()
	l := &life{u, dp, control.NewClient(cfg.Socket), text, nil}
	l.end = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	return l
}

func keptConfig(t *testing.T) Config {
	cfg := loopbackConfig()
	cfg.NodeID = "127.83.7.8"
	cfg.Socket = filepath.Join(t.TempDir(), "upf.sock")
	cfg.State.Directory = filepath.Join(t.TempDir(), "state")
	return cfg
}

func (l *life) only(t *testing.T) control.Detail {
	t.Helper()
	var list control.Sessions
	if err := l.client.Get(t.Context(), "/sessions", &list); err != nil || len(list.Sessions) != 1 {
		t.Fatalf("sessions %+v, %v", list, err)
	}
	var d control.Detail
	if err := l.client.Get(t.Context(), "/sessions/"+list.Sessions[0].SEID.String(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// recoveryStamp asks by a heartbeat.
func recoveryStamp(t *testing.T) string {
	answer := ask(t, "127.83.7.8:8805", messageOf(pfcp.HeartbeatRequest, 0, 9, ie.NewUint32IE(ie.RecoveryTimeStamp, 1)))
	return string(answer[len(answer)-4:])
}

// TestHandOver: a session, its tunnels, what was counted and the Recovery Time Stamp are
// those of the process before; the SMF goes on with them.
func TestHandOver(t *testing.T) {
	cfg := keptConfig(t)
	first := begin(t, cfg)
	establish(t)
	was, stamp := first.only(t), recoveryStamp(t)
	up := uint64(was.SEID)
	first.dp.Use(up, 4, session.Count{Packets: 5, Octets: 500}, session.Count{Packets: 1, Octets: 50}, time.Now())
	first.HandOver()
	first.end()
	time.Sleep(1100 * time.Millisecond) // the stamp counts seconds
	second := begin(t, cfg)
	now := second.only(t)
	was.Usage = []control.Usage{{URR: 4, UplinkPackets: 5, UplinkOctets: 500, DownlinkPackets: 1, DownlinkOctets: 50}}
	if !reflect.DeepEqual(was, now) {
		t.Errorf("it was %+v, is %+v", was, now)
	}
	if recoveryStamp(t) != stamp {
		t.Error("the Recovery Time Stamp changed")
	}
	if !second.n4.HasTEID(0x77) {
		t.Error("its TEID is forgotten")
	}
	second.dp.Use(up, 4, session.Count{Packets: 1, Octets: 100}, session.Count{}, time.Now())
	answer := ask(t, "127.83.7.8:8805", messageOf(pfcp.SessionDeletionRequest, up, 3))
	volume := ie.NewVolumeMeasurement(7, 650, 600, 50, 0, 0, 0)
	b, _ := volume.Marshal()
	if !bytes.Contains(answer, b) {
		t.Errorf("the final report has not the volume of both processes: %x", answer)
	}
	second.end()
	if left, _ := os.ReadDir(cfg.State.Directory); len(left) != 0 {
		t.Errorf("after an ordinary end there is left: %v", left)
	}
}

// TestKilledProcess: without a word at the end, all that was answered is there.
func TestKilledProcess(t *testing.T) {
	cfg := keptConfig(t)
	first := begin(t, cfg)
	establish(t)
	was := first.only(t)
	copied := filepath.Join(t.TempDir(), "copy") // as a kill at this moment leaves it
	if err := errors.Join(os.Mkdir(copied, 0o700), os.CopyFS(copied, os.DirFS(cfg.State.Directory))); err != nil {
		t.Fatal(err)
	}
	first.end()
	cfg.State.Directory = copied
	second := begin(t, cfg)
	if now := second.only(t); !reflect.DeepEqual(was, now) {
		t.Errorf("it was %+v, is %+v", was, now)
	}
	second.end()
}

// TestKeptDoesNotFit: other addresses, or a wish for a fresh start, drop what was kept,
// and the log says why.
func TestKeptDoesNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		says   string
	}{
		"another Node ID": {func(c *Config) { c.NodeID = "upf.example" }, "SMFs and gNBs use the old ones"},
		"fresh":           {func(c *Config) { c.State.Fresh = true }, "state.fresh is set"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := keptConfig(t)
			first := begin(t, cfg)
			establish(t)
			stamp := recoveryStamp(t)
			first.HandOver()
			first.end()
			time.Sleep(1100 * time.Millisecond) // the stamp counts seconds
			c.change(&cfg)
			second := begin(t, cfg)
			if n := getCounters(t).Sessions; n != 0 || recoveryStamp(t) == stamp {
				t.Errorf("%d sessions, the stamp is the old one: %v", n, recoveryStamp(t) == stamp)
			}
			second.HandOver()
			second.end()
			if !strings.Contains(second.log.String(), c.says) {
				t.Errorf("the log does not say %q: %s", c.says, second.log)
			}
			cfg.State.Fresh = false
			third := begin(t, cfg)
			if n := getCounters(t).Sessions; n != 0 {
				t.Errorf("%d sessions came back later", n)
			}
			third.end()
		})
	}
}

// TestStateTaken: two UPFs do not share a folder.
func TestStateTaken(t *testing.T) {
	cfg := keptConfig(t)
	first := begin(t, cfg)
	defer first.end()
	if _, err := New(cfg, memory.New(0), nil); err == nil || !strings.Contains(err.Error(), "state.directory") {
		t.Errorf("New: %v", err)
	}
}
