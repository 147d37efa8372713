package external

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/text/fuzztest"
	"github.com/upflab/upflab/internal/text/wait"
)

// The lines come from Linux 6.18 with two CPUs; the process's name has spaces and
// brackets.
func TestParseProc(t *testing.T) {
	stat := "4711 (upf) 9 (x) S 1 4711 4711 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 8 0 12345 0 0"
	m, err := parseProc([]string{"cpu  100 20 30 4000 50 6 7 8 0 0", stat, "VmRSS:\t   12345 kB", "HugetlbPages:\t    6144 kB"})
	want := dut.Meter{DUT: 3 * time.Second, Busy: 1710 * time.Millisecond, Total: 42210 * time.Millisecond, Memory: (12345 + 6144) << 10}
	if err != nil || m != want {
		t.Errorf("%+v, %v; want %+v", m, err, want)
	}
	for _, lines := range [][]string{nil, {"cpu 1 2 3 4 5 6 7 8"}, {"cpu 1 2", stat}, {"cpu a b c d e f g h", stat},
		{"cpu 1 2 3 4 5 6 7 8", "no such file"}, {"", ""}} {
		if m, err := parseProc(lines); err == nil {
			t.Errorf("%q is read as %+v", lines, m)
		}
	}
}

// metrics is what node-exporter 1.5.0 of Debian 12 answered on a machine with two
// CPUs.
func metrics(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/node_exporter.txt")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNodeExporter(t *testing.T) {
	answer := metrics(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.NotFound(w, r)
			return
		}
		w.Write(answer)
	}))
	defer server.Close()
	m, err := nodeExporter(server.URL + "/metrics").meter()
	if err != nil {
		t.Fatal(err)
	}
	busy, total := sums(string(answer))
	if d := m.Busy.Seconds() - busy; d > 1e-3 || d < -1e-3 {
		t.Errorf("busy %v, want %v s", m.Busy, busy)
	}
	if d := m.Total.Seconds() - total; d > 1e-3 || d < -1e-3 || m.DUT != m.Busy {
		t.Errorf("%+v, want a total of %v s", m, total)
	}
	if _, err := nodeExporter(server.URL).meter(); err == nil || !strings.Contains(err.Error(), "/metrics") {
		t.Errorf("the wrong page: %v", err)
	}
	answer = []byte("# nothing\n")
	if _, err := nodeExporter(server.URL + "/metrics").meter(); err == nil || !strings.Contains(err.Error(), "CPU collector") {
		t.Errorf("no CPU times: %v", err)
	}
}

// sums reads the text another way: by its fields.
func sums(text string) (busy, total float64) {
	for line := range strings.Lines(text) {
		var v float64
		if !strings.HasPrefix(line, "node_cpu_seconds_total") {
			continue
		}
		fmt.Sscan(strings.Fields(line)[1], &v)
		total += v
		if !strings.Contains(line, `"idle"`) && !strings.Contains(line, `"iowait"`) {
			busy += v
		}
	}
	return busy, total
}

func FuzzParseMetrics(f *testing.F) {
	fuzztest.Brief(f)
	f.Add(metrics(f))
	f.Add([]byte("node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 1e300\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := parseMetrics(bytes.NewReader(b)); err == nil && (m.Busy < 0 || m.Total <= 0) {
			t.Errorf("%+v", m)
		}
	})
}

// TestSSH logs in to a server that it starts on the loopback interface.
func TestSSH(t *testing.T) {
	config := startSSHD(t)
	t.Setenv("UPFLAB_SSH", "ssh -F "+config)
	s, err := openShell("upf", fmt.Sprint(os.Getpid()), answerTime)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, err := s.meter()
	if err != nil {
		t.Fatal(err)
	}
	for stop := time.Now().Add(300 * time.Millisecond); time.Now().Before(stop); {
	}
	b, err := s.meter()
	if err != nil {
		t.Fatal(err)
	}
	if b.DUT <= a.DUT || b.Total <= a.Total || b.Memory < 1<<20 || !strings.Contains(b.Source, fmt.Sprint(os.Getpid())) {
		t.Errorf("%+v, then %+v", a, b)
	}
	if _, err := openShell("upf", "no-such-upf", answerTime); err == nil || !strings.Contains(err.Error(), "no process no-such-upf") {
		t.Errorf("a process that is not: %v", err)
	}
	if _, err := openShell("gone", "1", answerTime); err == nil || !strings.Contains(err.Error(), "without a password") {
		t.Errorf("a host that is not: %v", err)
	}
}

// startSSHD starts a server with new keys and returns a client's configuration, in which
// it is called upf.
func startSSHD(t *testing.T) (config string) {
	t.Helper()
	sshd, err := exec.LookPath("/usr/sbin/sshd")
	if _, client := exec.LookPath("ssh"); err != nil || client != nil || os.Geteuid() != 0 {
		t.Skip("needs root and OpenSSH's server and client")
	}
	dir := t.TempDir()
	for _, name := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	os.MkdirAll("/run/sshd", 0o755)
	server := exec.Command(sshd, "-D", "-e", "-f", "/dev/null", "-p", fmt.Sprint(port), "-h", dir+"/host",
		"-o", "ListenAddress=127.0.0.1", "-o", "AuthorizedKeysFile="+dir+"/user.pub", "-o", "StrictModes=no", "-o", "PidFile=none",
		"-o", "PermitRootLogin=prohibit-password", "-o", "UsePAM=no")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	config = filepath.Join(dir, "config")
	text := fmt.Sprintf("Host upf\n HostName 127.0.0.1\n Port %d\n User root\nHost gone\n HostName 127.0.0.1\n "+
		"Port 1\nHost *\n IdentityFile %s/user\n IdentitiesOnly yes\n"+
		" StrictHostKeyChecking no\n UserKnownHostsFile %s/known\n LogLevel ERROR\n", port, dir, dir)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	listens := func() bool {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	if !wait.Until(2*time.Second, 10*time.Millisecond, listens) {
		t.Fatal("the server does not listen")
	}
	return config
}
