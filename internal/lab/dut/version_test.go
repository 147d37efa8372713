package dut

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

func TestGoVersion(t *testing.T) {
	if v := GoVersion(os.Args[0]); v == "" || v == "unknown" {
		t.Errorf("this test program is %q", v)
	}
	file := t.TempDir() + "/upf"
	if err := os.WriteFile(file, []byte("abc"), 0o755); err != nil {
		t.Fatal(err)
	}
	// SHA-256 of "abc": FIPS 180-4, example B.1.
	if v := GoVersion(file); v != "sha256:ba7816bf8f01" {
		t.Errorf("a program that Go did not build is %q", v)
	}
	if v := GoVersion(file + ".none"); v != "unknown" {
		t.Errorf("a program that is not is %q", v)
	}
}

func TestRender(t *testing.T) {
	dir := t.TempDir()
	path, err := Render(dir, "upf.conf", "at {{.Addr}}\n", map[string]string{"Addr": "192.0.2.1"})
	if err != nil || path != dir+"/upf.conf" {
		t.Fatal(path, err)
	}
	if b, _ := os.ReadFile(path); string(b) != "at 192.0.2.1\n" {
		t.Errorf("it wrote %q", b)
	}
	for name, c := range map[string]struct{ dir, text, want string }{
		"a value that is not given":  {dir, "{{.Port}}", "render " + dir},
		"a template that is none":    {dir, "{{.Port", "template of upf.conf"},
		"a folder that is not there": {dir + "/none", "x", "write configuration"},
	} {
		_, err := Render(c.dir, "upf.conf", c.text, map[string]string{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

func TestGoCommit(t *testing.T) {
	built := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "049a2cee102fdb2a3434df2b3bb8a6a0c332a86d"}, {Key: "vcs.time", Value: "2026-08-19T02:55:00Z"},
	}}
	if got := GoCommit(built, "nowhere"); got != "049a2cee102f of 2026-08-19" {
		t.Errorf("it is %q", got)
	}
	if got := GoCommit(&debug.BuildInfo{}, "nowhere"); got != "unknown" {
		t.Errorf("without a commit it is %q", got)
	}
}
