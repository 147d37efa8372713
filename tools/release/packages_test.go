package main

import (
	"bytes"
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
)

var released = version{name: "v1.2.3", commit: strings.Repeat("ab", 20), date: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)}

// stand stands for what a release holds; the program is a script.
func stand() []file {
	return []file{
		{program, 0o755, []byte("#!/bin/sh\necho upflab v1.2.3\n")},
		{"/usr/share/man/man1/upflab.1.gz", 0o644, []byte("manual")},
		{"/usr/share/doc/upflab/copyright", 0o644, []byte("licence")},
		{"/usr/lib/systemd/system/upflab-upf.service", 0o644, []byte("[Unit]\n")},
	}
}

// make all kinds in a folder.
func packages(t *testing.T, out string) (names []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	names, err = perArch(out, "amd64", self, stand(), released)
	if err != nil {
		t.Fatal(err)
	}
	name, err := image(out, []platform{{"amd64", stand()}, {"arm64", stand()}}, released)
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, name)
	sums, err := checksums(out, names)
	if err != nil {
		t.Fatal(err)
	}
	return append(names, sums)
}

// The same content gives the same bytes.
func TestReproducible(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	names := packages(t, a)
	time.Sleep(1100 * time.Millisecond) // a time of now would show
	packages(t, b)
	for _, name := range names {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		if y, _ := os.ReadFile(filepath.Join(b, name)); sha256.Sum256(x) != sha256.Sum256(y) {
			t.Errorf("%s differs from the one made before", name)
		}
	}
}

// dpkg installs the package into an empty root, and removes it.
func TestDebianPackage(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil || os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI needs dpkg, and root")
		}
		t.Skip("it needs dpkg, and root")
	}
	out, root := t.TempDir(), t.TempDir()
	packages(t, out)
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dpkg := func(args ...string) string {
		text, err := exec.Command("dpkg",
			append([]string{"--root=" + root, "--force-script-chrootless", "--force-not-root"},
				args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("dpkg %v: %v\n%s", args, err, text)
		}
		return string(text)
	}
	dpkg("--install", filepath.Join(out, "upflab_1.2.3_amd64.deb"))
	for _, f := range stand() {
		body, err := os.ReadFile(filepath.Join(root, f.path))
		if err != nil || !bytes.Equal(body, f.body) {
			t.Errorf("%s: %q, %v", f.path, body, err)
		}
		if info, err := os.Stat(filepath.Join(root, f.path)); err == nil && int64(info.Mode().Perm()) != f.mode {
			t.Errorf("%s has mode %o, not %o", f.path, info.Mode().Perm(), f.mode)
		}
	}
	if text := dpkg("--status", "upflab"); !strings.Contains(text, "Status: install ok installed") ||
		!strings.Contains(text, "Version: 1.2.3\n") {
		t.Errorf("dpkg says %s", text)
	}
	dpkg("--remove", "upflab")
	if _, err := os.Stat(filepath.Join(root, program)); err == nil {
		t.Error("the program is left after its removal")
	}
}

// The image has a manifest for each architecture and starts the program, which serves results unless it is told otherwise.
func TestImage(t *testing.T) {
	out, dir := t.TempDir(), t.TempDir()
	packages(t, out)
	if text, err := exec.Command("tar", "-xf", filepath.Join(out, "upflab-1.2.3-oci.tar"), "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	m, err := outer.IndexManifest()
	if err != nil || len(m.Manifests) != 1 || m.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "upflab:1.2.3" {
		t.Fatalf("the layout has %+v, %v", m, err)
	}
	index, err := outer.ImageIndex(m.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	list, err := index.IndexManifest()
	if err != nil || len(list.Manifests) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, arch := range []string{"amd64", "arm64"} {
		img, err := index.Image(list.Manifests[i].Digest)
		if err != nil {
			t.Fatal(err)
		}
		c, err := img.ConfigFile()
		if err != nil || c.Architecture != arch || !slices.Equal(c.Config.Entrypoint, []string{program}) ||
			!slices.Equal(c.Config.Cmd, []string{"serve"}) {
			t.Errorf("%s: %+v, %v", arch, c, err)
		}
	}
}

func TestBill(t *testing.T) {
	out := t.TempDir()
	packages(t, out)
	body, err := os.ReadFile(filepath.Join(out, "upflab-1.2.3-linux-amd64.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"bomFormat": "CycloneDX"`, `"pkg:golang/github.com/upflab/upflab@v1.2.3"`,
		`"name": "github.com/CycloneDX/cyclonedx-go"`, `"name": "go:sum"`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("the bill has no %s", want)
		}
	}
}
