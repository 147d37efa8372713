package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const source = `package main

import "fmt"

var name, commit string

func main() { fmt.Println("upflab", name, "(commit", commit+", go)") }
`

// compile makes a program that says its version.
func compile(t *testing.T, arch string, v version) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": source, "go.mod": "module example.org/upflab\n"} {
		if _, err := write(dir, name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "upflab")
	o := options{source: dir}
	if err := run(o, []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + arch}, "go", "build", "-trimpath",
		"-ldflags=-s -w -X main.name="+v.name+" -X main.commit="+v.commit, "-o", binary, "."); err != nil {
		t.Fatal(err)
	}
	return binary
}

// published is a whole release with a program of its own for each architecture.
func published(t *testing.T) (dir string, binaries map[string]string) {
	t.Helper()
	dir, binaries = t.TempDir(), map[string]string{}
	page, err := compress([]byte(".nh\n.TH \"UPFLAB\" \"1\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var images []platform
	for _, arch := range []string{"amd64", "arm64"} {
		binaries[arch] = compile(t, arch, released)
		files, err := with(binaries[arch], []file{{licencePath, 0o644, []byte("licence")}, {manualPath, 0o644, page}})
		if err != nil {
			t.Fatal(err)
		}
		made, err := perArch(dir, arch, binaries[arch], files, released)
		if err != nil {
			t.Fatal(err)
		}
		names, images = append(names, made...), append(images, platform{arch, files})
	}
	name, err := image(dir, images, released)
	names = append(names, name)
	if err == nil {
		name, err = provenance(options{source: "..", out: dir, arches: []string{"amd64", "arm64"}}, names, released)
	}
	if err == nil {
		_, err = checksums(dir, append(names, name))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, binaries
}

// later is another version.
func later() version {
	v := released
	v.name = "v1.2.4"
	return v
}

// complains: an error has all of the texts; without any there is none.
func complains(t *testing.T, story string, err error, want ...string) {
	t.Helper()
	if err == nil || len(want) == 0 {
		if (err == nil) != (len(want) == 0) {
			t.Errorf("%s: %v, wanted %q", story, err, want)
		}
		return
	}
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, wanted %q", story, err, text)
		}
	}
}

// TestCheckProgram: a program has to be static and of the version.
func TestCheckProgram(t *testing.T) {
	good, err := os.ReadFile(compile(t, "amd64", released))
	if err != nil {
		t.Fatal(err)
	}
	complains(t, "as it has to be", checkProgram(good, "amd64", released))
	complains(t, "of another version", checkProgram(good, "amd64", later()), "does not contain its version, v1.2.4")
	complains(t, "for another architecture", checkProgram(good, "arm64", released),
		"the program is for EM_X86_64, wanted EM_AARCH64", "not built with GOARCH=arm64")
	complains(t, "no program", checkProgram([]byte("#!/bin/sh\n"), "amd64", released), "no ELF file")
	linked, err := exec.LookPath("git") // a dynamic one
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(linked)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.HasPrefix(body, []byte("\x7fELF")) {
		complains(t, "a dynamic one", checkProgram(body, "amd64", released), "the program is not static")
	}
}

// TestCheck: a release passes, and each kind of file is held against what it has to be.
func TestCheck(t *testing.T) {
	dir, binaries := published(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	complains(t, "as it has to be", check(dir, []string{"amd64", "arm64"}, released))
	complains(t, "an architecture that was not made", check(dir, []string{"amd64", "riscv64"}, released),
		"upflab-1.2.3-linux-riscv64.tar.gz: open ")
	complains(t, "one that was not asked for", check(dir, []string{"amd64"}, released), "oci.tar: it has 2 architectures, wanted 1")
	intel, err := os.ReadFile(binaries["amd64"])
	if err != nil {
		t.Fatal(err)
	}
	bill := at(released.billName("amd64"))
	complains(t, "the bill of another version", checkBill(bill, intel, later()), "it is of version v1.2.3, wanted v1.2.4")
	complains(t, "the bill of another program", checkBill(bill, tester(t), released), "it lists 1 modules, which are not")
	_, control, err := readDebian(at(released.debName("amd64")))
	if err != nil {
		t.Fatal(err)
	}
	complains(t, "a package of another architecture", checkControl(control, "arm64", released), `no line "Architecture: arm64"`)
	complains(t, "a package of another version", checkControl(control, "amd64", later()), `no line "Version: 1.2.4"`)
	twice := map[string][]byte{"amd64": intel, "arm64": intel}
	complains(t, "an image of another version", checkImage(at(released.imageName()), twice, later()), "it is of version v1.2.3")
	complains(t, "an image with another program", checkImage(at(released.imageName()), twice, released),
		"arm64: its program is not the archive's")
	damage(t, at(released.archiveName("amd64")))
	complains(t, "one that was damaged", check(dir, []string{"amd64"}, released), "linux-amd64.tar.gz has the checksum")
	if err := os.WriteFile(bill, []byte(`{"bomFormat": `), 0o644); err != nil {
		t.Fatal(err)
	}
	complains(t, "a bill that was cut short", checkBill(bill, intel, released), "unexpected end")
	if _, err := write(dir, "left.deb", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	complains(t, "a file of another release", checkSums(dir), "left.deb is in")
}

// tester is this test's own program.
func tester(t *testing.T) []byte {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// damage changes the last byte of a file.
func damage(t *testing.T, name string) {
	t.Helper()
	body, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	body[len(body)-1] ^= 1
	if err := os.WriteFile(name, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCheckContent: what every package has.
func TestCheckContent(t *testing.T) {
	page, err := compress([]byte(".nh\n.TH \"UPFLAB\" \"1\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	none, err := compress([]byte("# upflab"))
	if err != nil {
		t.Fatal(err)
	}
	whole := func() content {
		return content{"upflab": []byte("program"), "copyright": []byte("licence"), "share/man/man1/upflab.1.gz": page}
	}
	complains(t, "as it has to be", checkContent(whole()))
	for name := range whole() {
		less := whole()
		delete(less, name)
		complains(t, "without "+name, checkContent(less), "it has no "+name)
		complains(t, "without "+name, sameContent(whole(), less), "its "+name+" is not the archive's")
	}
	other := whole()
	other["share/man/man1/upflab-run.1.gz"] = none
	complains(t, "a manual page that is none", checkContent(other), "share/man/man1/upflab-run.1.gz: it is no manual page")
}

// TestSame: the place of the first difference is given.
func TestSame(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for name, bodies := range map[string][2]string{"same": {"x", "x"}, "longer": {"abc", "abcd"}, "other": {"abc", "aXc"}} {
		for i, dir := range []string{a, b} {
			if _, err := write(dir, name, []byte(bodies[i]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	complains(t, "two releases", same(a, b), "longer is not reproducible: made again it differs from byte 3 on",
		"other is not reproducible: made again it differs from byte 1 on")
	if err := os.Remove(filepath.Join(a, "same")); err != nil {
		t.Fatal(err)
	}
	complains(t, "one with less", same(a, b), "same")
}

// TestVerifyDirty: what is in no commit cannot be made again.
func TestVerifyDirty(t *testing.T) {
	dir := t.TempDir()
	repository(t, dir)
	if _, err := write(dir, "file", []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	complains(t, "uncommitted changes", verify(t.TempDir(), options{source: dir}, os.Stdout), "changes that are in no commit")
}

// repository has one file in one commit.
func repository(t *testing.T, dir string) {
	t.Helper()
	if _, err := write(dir, "file", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "file"},
		{"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first"}} {
		if _, err := git(dir, args...); err != nil {
			t.Fatal(err)
		}
	}
}
