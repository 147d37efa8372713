package upf

import (
	"bytes"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/upf"
	"github.com/upflab/upflab/upf/datapath/memory"
)

const serviceConfig = `
n4: {address: 127.83.8.8}
n3: {interface: lo, address: 127.83.8.9}
n6: {interface: lo}
`

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReloadSays: what holds now, what later, and that a wrong file changes nothing.
func TestReloadSays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "upf.yaml")
	write(t, file, serviceConfig)
	cfg, err := loadUPF(file)
	if err != nil {
		t.Fatal(err)
	}
	u, err := upf.New(cfg, memory.New(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	var text bytes.Buffer
	log, level := upfLog(&text, cfg)
	s := service{u, file, log, level, nil}
	write(t, file, serviceConfig+"log_level: debug\nue_pool: [10.1.0.0/16]")
	s.reload()
	if level.Level() != slog.LevelDebug || !strings.Contains(text.String(), "changed=log_level") ||
		!strings.Contains(text.String(), "keys=ue_pool") {
		t.Errorf("level %v, says %s", level.Level(), &text)
	}
	text.Reset()
	write(t, file, serviceConfig+"log_level: loud")
	s.reload()
	if level.Level() != slog.LevelDebug || !strings.Contains(text.String(), "the configuration is wrong") {
		t.Errorf("level %v, says %s", level.Level(), &text)
	}
}

// TestNotify: systemd hears what it is told.
func TestNotify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	service{log: slog.New(slog.DiscardHandler)}.notify("READY=1")
	b := make([]byte, 100)
	socket.SetReadDeadline(time.Now().Add(10 * time.Second))
	if n, err := socket.Read(b); err != nil || string(b[:n]) != "READY=1" {
		t.Errorf("systemd hears %q, %v", b[:n], err)
	}
}
