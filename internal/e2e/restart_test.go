package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// service is `upflab upf` as it is installed: with sessions that outlive it, in the
// machine's own mounts.
type service struct {
	t              *testing.T
	config, socket string
	upf            *command
}

func newService(t *testing.T, more string) *service {
	t.Helper()
	dir, err := os.MkdirTemp("/run", "upf-") // not in TempDir, whose removal would go into the mount
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, config: filepath.Join(dir, "upf.yaml"), socket: filepath.Join(dir, "upf.sock")}
	text := fmt.Sprintf(`n4: {address: 192.168.14.151}
n3: {interface: n3, address: 192.168.13.151}
n6: {interface: n6}
ue_pool: [10.45.0.0/16]
socket: %s
%s
`, s.socket, strings.ReplaceAll(more, "DIR", dir))
	if err := os.WriteFile(s.config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { exec.Command(program(), "upf", "clean", "--config", s.config).Run() })
	return s
}

func (s *service) start() {
	s.t.Helper()
	s.upf = start(s.t, exec.Command("nsenter", "--net=/run/netns/"+upfNS, program(), "upf", "--config", s.config))
	s.upf.says("the UPF is ready")
}

// end ends the UPF as systemd does.
func (s *service) end() {
	s.t.Helper()
	s.upf.signal(syscall.SIGTERM)
	if got := s.upf.status(20 * time.Second); got != 0 {
		s.t.Errorf("the UPF ends with status %d\n%s", got, s.upf.said())
	}
}

func (s *service) kill() {
	s.upf.signal(syscall.SIGKILL)
	<-s.upf.ended
}

// TestForwardingOutlivesProcess sends packets both ways while the UPF's process is killed,
// is gone for half a second, and starts again; and while it is restarted as systemd does.
func TestForwardingOutlivesProcess(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	const kept = "state: {directory: DIR/state}"
	for _, c := range []struct {
		name, more string
		end        syscall.Signal
		most       float64 // of the packets may be lost
		exact      bool    // what was counted before is in the final report
		counted    uint64  // but for so many packets
	}{
		{"killed, xdp", kept, syscall.SIGKILL, 0.005, true, 0},
		{"killed, generic xdp", kept + "\ndatapath: {mode: generic}", syscall.SIGKILL, 0.005, true, 0},
		{"handed over, xdp", kept, syscall.SIGUSR2, 0.005, true, 0},
		// In user space nothing is forwarded in between; what comes back is the session.
		{"killed, afpacket", kept + "\ndatapath: {kind: afpacket}", syscall.SIGKILL, 0.7, false, 0},
		{"handed over, afpacket", kept + "\ndatapath: {kind: afpacket}", syscall.SIGUSR2, 0.7, true, 256},
		{"killed, tun", kept + "\ndatapath: {kind: tun}", syscall.SIGKILL, 0.7, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, c.more)
			s.start()
			meetNeighbours(t)
			p := newPeers(t)
			seid, stamp := p.establish(), p.recovery()
			p.begin()
			// Packets flow for a second before, half a second without a UPF, and a second after.
			time.Sleep(time.Second)
			s.upf.signal(c.end)
			<-s.upf.ended
			time.Sleep(500 * time.Millisecond)
			s.start()
			time.Sleep(time.Second)
			if p.recovery() != stamp {
				t.Error("the Recovery Time Stamp changed: the SMF has to give its sessions up")
			}
			sent, lost := p.end()
			t.Logf("%d of %d packets were lost", lost, sent)
			if float64(lost) > c.most*float64(sent) {
				t.Errorf("%d of %d packets were lost\n%s", lost, sent, s.upf.said())
			}
			got, want := p.remove(seid)/tpduOctets, sent-lost
			if got == 0 || c.exact && (got > want+c.counted || want > got+c.counted) {
				t.Errorf("the final report has %d packets, %d were forwarded", got, want)
			}
			s.end()
			if attached(t, "n3") {
				t.Error("the programs are still there after an ordinary end")
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(s.config), "state", "*")); len(left) > 1 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// meetNeighbours has the UPF's kernel resolve both peers: the first packet to one that is
// not resolved is left to the kernel, and no URR counts it.
func meetNeighbours(t *testing.T) {
	t.Helper()
	for _, peer := range []string{"192.168.13.131", "192.168.16.152"} {
		netnsExec(t, upfNS, "ping", "-c", "1", "-W", "5", peer)
	}
}

// TestSessionsNotKept: without a folder for them, sessions end with the process, and so
// does the forwarding.
func TestSessionsNotKept(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	s := newService(t, "")
	s.start()
	p := newPeers(t)
	p.establish()
	p.begin()
	time.Sleep(500 * time.Millisecond) // packets flow
	s.kill()
	s.start()
	time.Sleep(time.Second) // and are lost
	if sent, lost := p.end(); lost < sent/5 {
		t.Errorf("%d of %d packets were lost", lost, sent)
	}
}

// TestUPFClean removes what a killed UPF left, and nothing of one that runs.
func TestUPFClean(t *testing.T) {
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	s := newService(t, "state: {directory: DIR/state}")
	s.start()
	clean := func() *command { return upflab(t, []string{"upf", "clean", "--config", s.config}) }
	running := clean()
	running.finishes(1)
	running.mustSay("another UPF runs")
	s.kill()
	if !attached(t, "n3") {
		t.Error("the programs went with the process")
	}
	clean().finishes(0)
	if attached(t, "n3") {
		t.Error("the programs are still there")
	}
}

// attached reports whether a device of the UPF has an XDP program.
func attached(t *testing.T, device string) bool {
	t.Helper()
	out, err := inNS(upfNS, "ip", "link", "show", device).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Contains(string(out), "prog/xdp")
}
