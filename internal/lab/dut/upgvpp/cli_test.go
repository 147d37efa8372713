package upgvpp

import (
	"bytes"
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// serve answers one command a connection, as VPP does, and gives the socket.
func serve(t *testing.T, answer func(request []byte) []byte) cli {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "cli.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b := make([]byte, 1000)
			n, _ := conn.Read(b)
			conn.Write(answer(b[:n]))
			conn.Close()
		}
	}()
	return cli{socket}
}

// options are what VPP 24.02 begins a session with (src/vlib/unix/cli.c).
const options = "\xff\xfc\x22\xff\xfe\x22\xff\xfb\x03\xff\xfd\x03\xff\xfb\x01\xff\xfe\x01" +
	"\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0\xff\xfd\x1f\xff\xfa\x1f\x01\xff\xf0"

func TestRun(t *testing.T) {
	var asked []byte
	for _, c := range []struct{ why, answer, want, words string }{
		{"as VPP answers", options + "vpp v24.02\r\nbuilt by somebody\r\n\x00", "vpp v24.02\nbuilt by somebody", ""},
		{"nothing to say", options + "\x00", "", ""},
		{"no options", "ok\x00", "ok", ""},
		{"gone in the middle", options + "vpp", "", "after 39 bytes of the answer"},
		{"gone at once", "", "", `ask VPP "show version"`},
	} {
		c1 := serve(t, func(b []byte) []byte { asked = b; return []byte(c.answer) })
		got, err := c1.run(context.Background(), "show version")
		if got != c.want || (c.words == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %q, %v", c.why, got, err)
		}
	}
	// RFC 1091: IAC SB TERMINAL-TYPE IS vppctl IAC SE, as vppctl sends it.
	if want := []byte("\xff\xfa\x18\x00vppctl\xff\xf0show version\n"); !bytes.Equal(asked, want) {
		t.Errorf("it was asked %q, want %q", asked, want)
	}
	if _, err := (cli{"/nonexistent"}).run(context.Background(), "show version"); err == nil ||
		!strings.Contains(err.Error(), "/nonexistent") {
		t.Errorf("without a socket: %v", err)
	}
}

func TestExec(t *testing.T) {
	answers := map[string]string{"create host-interface name n3": "host-n3\r\n",
		"ip table add x": "unknown input `x'\r\n", "create nothing": "create: no such thing\r\n"}
	c := serve(t, func(b []byte) []byte {
		_, command, _ := strings.Cut(strings.TrimSpace(string(b)), "\xff\xf0")
		return []byte(answers[command] + "\x00")
	})
	for _, x := range []struct{ why, commands, words string }{
		{"all are taken", "create host-interface name n3\n\nset interface state host-n3 up\n", ""},
		{"one is refused", "ip table add 1\nip table add x\n", "VPP refuses \"ip table add x\": unknown input `x'"},
		{"an interface that is not made", "create nothing\n", "no such thing"},
	} {
		err := c.exec(context.Background(), strings.NewReader(x.commands))
		if (x.words == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), x.words) {
			t.Errorf("%s: %v", x.why, err)
		}
	}
}

// Nobody waits for a VPP that has ended.
func TestReady(t *testing.T) {
	exited := make(chan struct{})
	close(exited)
	if err := (cli{"/nonexistent"}).ready(context.Background(), exited); err == nil || !strings.Contains(err.Error(), "ended before") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (cli{"/nonexistent"}).ready(ctx, nil); err != context.Canceled {
		t.Error(err)
	}
	c := serve(t, func([]byte) []byte { return []byte("vpp\x00") })
	if err := c.ready(context.Background(), nil); err != nil {
		t.Error(err)
	}
}

func FuzzText(f *testing.F) {
	fuzztest.Brief(f)
	f.Add([]byte(options + "vpp\r\n"))
	f.Add([]byte{iac})
	f.Add([]byte{iac, sb})
	f.Add([]byte{iac, will})
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := text(b); len(got) > len(b) {
			t.Errorf("%q became %q", b, got)
		}
	})
}
