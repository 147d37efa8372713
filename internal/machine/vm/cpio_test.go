package vm

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// What another program reads out of an archive is what was put in.
func TestArchive(t *testing.T) {
	cpio, err := exec.LookPath("cpio")
	if err != nil {
		t.Skip("cpio is not installed")
	}
	var b bytes.Buffer
	a := archive{to: &b}
	a.folder("dev")
	a.file("init", 0o755, 5, strings.NewReader("hello"))
	a.folder("modules")
	a.file("modules/9p", 0o644, 0, strings.NewReader(""))
	a.file("modules/even", 0o600, 8, strings.NewReader("12345678"))
	if err := a.end(); err != nil {
		t.Fatal(err)
	}
	list := exec.Command(cpio, "-t", "-v", "--quiet", "-n")
	list.Stdin = bytes.NewReader(b.Bytes())
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line) // mode, links, uid, gid, size, the date, and the name
		got = append(got, strings.Join([]string{f[0], f[2], f[3], f[4], f[len(f)-1]}, " "))
	}
	want := []string{"drwxr-xr-x 0 0 0 dev", "-rwxr-xr-x 0 0 5 init", "drwxr-xr-x 0 0 0 modules", "-rw-r--r-- 0 0 0 modules/9p",
		"-rw------- 0 0 8 modules/even"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	dir := t.TempDir()
	unpack := exec.Command(cpio, "-i", "--quiet", "-d")
	unpack.Dir, unpack.Stdin = dir, bytes.NewReader(b.Bytes())
	if out, err := unpack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, _ := exec.Command("cat", dir+"/init", dir+"/modules/even").Output(); string(out) != "hello12345678" {
		t.Errorf("unpacked %q", out)
	}
}
