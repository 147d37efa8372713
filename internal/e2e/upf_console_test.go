package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/control"
)

// TestConsole asks a running UPF as an operator does, while packets go through it.
func TestConsole(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	for _, kind := range []string{"xdp", "afpacket", "tun"} {
		t.Run(kind, func(t *testing.T) {
			s := newService(t, "datapath: {kind: "+kind+"}")
			s.start()
			meetNeighbours(t)
			p := newPeers(t)
			seid := control.SEID(p.establish())
			p.begin()
			ask := func(words ...string) string {
				t.Helper()
				out, err := exec.Command(program(), append(append([]string{"upf"}, words...), "--socket", s.socket)...).CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %v\n%s", words, err, out)
				}
				return string(out)
			}
			for _, c := range []struct{ words, want string }{
				{"sessions", "10.45.0.1"}, {"sessions --ue 10.45.0.1", seid.String()}, {"sessions --ue 10.45.0.9", "no session has the UE address"},
				{"session " + seid.String(), "TEID 0x88 at 192.168.13.131"}, {"drops", "forwarded, for comparison"},
			} {
				if out := ask(strings.Fields(c.words)...); !strings.Contains(out, c.want) {
					t.Errorf("%s does not say %q:\n%s", c.words, c.want, out)
				}
			}
			checkTop(t, seid, ask("top", "--json", "--count", "2"))
			checkCapture(t, s, seid)
			if text := ask("top", "--count", "1"); !strings.Contains(text, "1 of 1 sessions had packets") || !strings.Contains(text, seid.String()) {
				t.Errorf("top says\n%s", text)
			}
			if sent, lost := p.end(); lost > sent/50 {
				t.Errorf("%d of %d packets were lost while somebody looked", lost, sent)
			}
			s.end()
		})
	}
}

// checkTop wants rates near those that were sent, 2000 packets a second each way, on a
// machine that may be busy.
func checkTop(t *testing.T, seid control.SEID, text string) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var top control.Top
		if err := d.Decode(&top); err != nil {
			t.Fatal(err)
		}
		if len(top.Sessions) != 1 || top.Sessions[0].SEID != seid || top.Sessions[0].UE != "10.45.0.1" {
			t.Fatalf("top is %s", text)
		}
		s := top.Sessions[0]
		if s.UplinkPPS < 100 || s.UplinkPPS > 8000 || s.DownlinkPPS < 100 || s.DownlinkPPS > 8000 || s.UplinkBPS < 7.9*tpduOctets*s.UplinkPPS {
			t.Errorf("rates are %+v", s)
		}
	}
}

// checkCapture has tshark read what was captured: packets of the session alone, as they
// come and as they leave, at both interfaces.
func checkCapture(t *testing.T, s *service, seid control.SEID) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "session.pcapng")
	capture := upflab(t, []string{"upf", "capture", seid.String(), "--write", file, "--packets", "4000", "--time",
		"20s", "--socket", s.socket})
	capture.finishes(0)
	// So many that one interface's, which waited while the CPU was elsewhere, are not all.
	lines := upflab(t, []string{"upf", "capture", seid.String(), "--packets", "1000", "--time", "20s", "--socket", s.socket})
	lines.finishes(0)
	if text := lines.stdout.String(); !strings.Contains(text, "GTP-U TEID 0x77") || !strings.Contains(text, "n6 out") {
		t.Errorf("the lines are\n%s", text)
	}
	if _, err := exec.LookPath("tshark"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI must have tshark")
		}
		t.Skip("no tshark")
	}
	out, err := exec.Command("tshark", "-r", file, "-T", "fields", "-e", "frame.interface_name", "-e", "gtp.teid",
		"-e", "ip.src", "-e", "ip.dst").Output()
	if err != nil {
		t.Fatalf("tshark: %v", err)
	}
	count := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		count[line]++
	}
	for _, want := range []string{
		"N3\t0x00000077\t192.168.13.131,10.45.0.1\t192.168.13.151,192.168.16.152", "N6\t\t10.45.0.1\t192.168.16.152",
		"N6\t\t192.168.16.152\t10.45.0.1", "N3\t0x00000088\t192.168.13.151,192.168.16.152\t192.168.13.131,10.45.0.1",
	} {
		if count[want] < 20 {
			t.Errorf("%d packets are %q, of %v", count[want], want, count)
		}
		delete(count, want)
	}
	if len(count) > 0 {
		t.Errorf("there are others: %v", count)
	}
}

// TestTopOnTerminal draws on a terminal, that of tmux, and ends with it.
func TestTopOnTerminal(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux")
	}
	makeLab(t)
	s := newService(t, "")
	s.start()
	meetNeighbours(t)
	p := newPeers(t)
	seid := control.SEID(p.establish())
	p.begin()
	const session = "upflab-e2e-top"
	tmux := func(args ...string) string {
		out, err := exec.Command("tmux", append([]string{"-L", session}, args...)...).CombinedOutput()
		if err != nil {
			t.Logf("tmux %v: %v %s", args, err, out)
		}
		return string(out)
	}
	tmux("new-session", "-d", "-s", session, "-x", "120", "-y", "20", program(), "upf", "top", "--socket", s.socket, "--interval", "200ms")
	defer tmux("kill-server")
	var seen string
	wait.Until(10*time.Second, 100*time.Millisecond, func() bool {
		seen = tmux("capture-pane", "-p", "-t", session)
		return strings.Contains(seen, seid.String())
	})
	if !strings.Contains(seen, seid.String()) || strings.Count(seen, "packets/s") != 1 {
		t.Errorf("the terminal shows\n%s", seen)
	}
	tmux("send-keys", "-t", session, "C-c")
	p.end()
}
