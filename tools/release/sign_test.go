package main

import (
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aead.dev/minisign"
)

// keys makes a pair of keys, the secret one with a password.
func keys(t *testing.T, password string) (public, secret string) {
	t.Helper()
	p, s, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := minisign.EncryptKey(password, s)
	if password == "" {
		text, err = s.MarshalText()
	}
	if err != nil {
		t.Fatal(err)
	}
	shown, err := p.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	public, secret = filepath.Join(dir, "minisign.pub"), filepath.Join(dir, "minisign.key")
	put(t, public, string(shown))
	put(t, secret, string(text))
	return public, secret
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSignature: a release is verified by the key that signed it, and no other; neither a file that was
// changed, nor checksums with it, nor the signature of another version passes.
func TestSignature(t *testing.T) {
	v, other := version{name: "v1.0.0", commit: "c0ffee"}, version{name: "v1.0.1", commit: "decade"}
	for _, password := range []string{"secret", ""} {
		t.Setenv(passwordVariable, password)
		public, secret := keys(t, password)
		stranger, _ := keys(t, "")
		dir := t.TempDir()
		put(t, filepath.Join(dir, "a.tar.gz"), "a")
		if err := checkSignature(dir, public, v); err == nil {
			t.Error("a release without a signature passes")
		}
		if _, err := checksums(dir, []string{"a.tar.gz"}); err != nil {
			t.Fatal(err)
		}
		if err := sign(dir, secret, v); err != nil {
			t.Fatal(err)
		}
		if err := checkSignature(dir, public, v); err != nil {
			t.Error(err)
		}
		if err := checkSums(dir); err != nil {
			t.Errorf("the signature is no file that is to be listed: %v", err)
		}
		if err := checkSignature(dir, stranger, v); err == nil || !strings.Contains(err.Error(), stranger) {
			t.Errorf("another's key: %v", err)
		}
		if err := checkSignature(dir, public, other); err == nil || !strings.Contains(err.Error(), other.name) {
			t.Errorf("another version: %v", err)
		}
		put(t, filepath.Join(dir, "a.tar.gz"), "b")
		if _, err := checksums(dir, []string{"a.tar.gz"}); err != nil {
			t.Fatal(err)
		}
		if err := checkSignature(dir, public, v); err == nil {
			t.Error("changed checksums pass")
		}
	}
	t.Setenv(passwordVariable, "wrong")
	_, secret := keys(t, "secret")
	if err := sign(t.TempDir(), secret, v); err == nil || !strings.Contains(err.Error(), passwordVariable) {
		t.Errorf("a wrong password: %v", err)
	}
}

// TestSignatureIsMinisigns: minisign itself takes the signature.
func TestSignatureIsMinisigns(t *testing.T) {
	program, err := exec.LookPath("minisign")
	if err != nil {
		t.Skip("needs minisign: apt install minisign")
	}
	public, secret := keys(t, "")
	dir := t.TempDir()
	put(t, filepath.Join(dir, sumsName), "sums\n")
	if err := sign(dir, secret, version{name: "v1.0.0", commit: "c0ffee"}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "-Vm", filepath.Join(dir, sumsName), "-p", public).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "upflab v1.0.0 commit c0ffee") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestProvenance: the statement is about each file, and the commit; a file that it does not have, or has
// with another checksum, is found.
func TestProvenance(t *testing.T) {
	v := version{name: "v1.0.0", commit: "c0ffee"}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a"), "a")
	put(t, filepath.Join(dir, "b"), "b")
	o := options{source: "..", out: dir, arches: []string{"amd64"}}
	write := func(about, listed []string) error {
		t.Helper()
		name, err := provenance(o, about, v)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := checksums(dir, append(listed, name)); err != nil {
			t.Fatal(err)
		}
		return checkProvenance(dir, v)
	}
	if err := write([]string{"a", "b"}, []string{"a", "b"}); err != nil {
		t.Error(err)
	}
	if err := checkProvenance(dir, version{name: v.name, commit: "other"}); err == nil {
		t.Error("another commit passes")
	}
	if err := write([]string{"a"}, []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "nothing about b") {
		t.Errorf("a file that it does not have: %v", err)
	}
	if err := write([]string{"a", "b"}, []string{"a"}); err == nil || !strings.Contains(err.Error(), "b has the checksum") {
		t.Errorf("a file that is not listed: %v", err)
	}
}
