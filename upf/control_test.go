package upf

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/control"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/memory"
)

// running starts a UPF on loopback with a control socket.
func running(t *testing.T, dp datapath.Datapath) (*UPF, *control.Client, string) {
	t.Helper()
	cfg := loopbackConfig()
	cfg.Socket = filepath.Join(t.TempDir(), "run", "upf.sock")
	u, err := New(cfg, dp, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- u.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(cfg.Socket); err == nil {
			t.Error("the socket is still there")
		}
	})
	return u, control.NewClient(cfg.Socket), cfg.Socket
}

func TestControl(t *testing.T) {
	_, client, path := running(t, memory.New(0))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info, err)
	}
	establish(t)
	var list control.Sessions
	if err := client.Get(t.Context(), "/sessions", &list); err != nil {
		t.Fatal(err)
	}
	if list.Total != 1 || len(list.Sessions) != 1 {
		t.Fatalf("%+v", list)
	}
	one := list.Sessions[0]
	if len(one.UEs) != 1 || one.UEs[0].String() != "10.45.0.1/32" || one.CPSEID != 0x51 || one.Node != "127.83.7.1" || len(one.Tunnels) != 2 {
		t.Errorf("%+v", one)
	}
	var d control.Detail
	if err := client.Get(t.Context(), "/sessions/"+one.SEID.String(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Rules.PDRs) != 2 || d.Rules.PDRs[0].PDI.UE.String() != "10.45.0.1" || d.Peer.Addr().String() != "127.0.0.1" {
		t.Errorf("%+v", d)
	}
	for _, c := range []struct {
		ue   string
		want int
	}{{"10.45.0.1", 1}, {"10.45.0.2", 0}} {
		if err := client.Get(t.Context(), "/sessions?ue="+c.ue, &list); err != nil || len(list.Sessions) != c.want {
			t.Errorf("of %s: %+v, %v", c.ue, list, err)
		}
	}
	if err := client.Get(t.Context(), "/sessions/0x1", &d); err == nil || !strings.Contains(err.Error(), "there is no session 0x1") {
		t.Errorf("a session that is not there: %v", err)
	}
}

// TestControlSocketTaken: a second UPF does not take the first one's socket; one that a
// killed UPF left is replaced.
func TestControlSocketTaken(t *testing.T) {
	_, _, path := running(t, memory.New(0))
	if l, err := openControl(path); err == nil || !strings.Contains(err.Error(), "another UPF has it") {
		t.Errorf("opened %v, %v", l, err)
	}
	dead := filepath.Join(t.TempDir(), "dead.sock")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: dead}); err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	l, err := openControl(dead)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestMetrics(t *testing.T) {
	dp := memory.New(0)
	dp.SetCounters(datapath.Counters{
		Uplink: datapath.Direction{Packets: 3, Bytes: 300}, Downlink: datapath.Direction{Packets: 4, Bytes: 400},
		Accepted: datapath.Direction{Packets: 5, Bytes: 500},
		Drops:    map[datapath.Reason]uint64{datapath.ReasonUnknownTEID: 2},
	})
	_, stop := start(t, dp)
	defer stop()
	establish(t)
	answer, err := http.Get("http://127.83.7.10:9080/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	for _, want := range []string{
		"fivegs_ep_n3_gtp_indatapktn3upf 5\n", "fivegs_ep_n3_gtp_outdatapktn3upf 4\n", "fivegs_ep_n3_gtp_indataoctn3upf 500\n",
		`upf_dropped_packets_total{reason="unknown TEID"} 2` + "\n", "fivegs_upffunction_sm_n4sessionestabreq 1\n",
		"fivegs_upffunction_upf_sessionnbr 1\n", "pfcp_peers_active 1\n", "process_cpu_seconds_total",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
