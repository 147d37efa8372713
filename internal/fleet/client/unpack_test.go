package client

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"
)

// packedFile is an archive of one empty file.
func packedFile(t *testing.T, h tar.Header) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	h.Typeflag, h.Mode = tar.TypeReg, 0o644
	if err := out.WriteHeader(&h); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestUnpackDeepNames: 10 000 names of 4096 octets would make 20 million folders, more than a
// disk has inodes.
func TestUnpackDeepNames(t *testing.T) {
	for name, want := range map[string]bool{
		"result/builtin-xdp/upf.log": true, "result/a/b/c/d/e/f/g/x.log": false, strings.Repeat("a/", 2000) + "x.log": false,
	} {
		dir := t.TempDir()
		if refused, err := unpack(bytes.NewReader(packedFile(t, tar.Header{Name: name})), dir); err != nil || (refused == "") != want {
			t.Errorf("%.40s: refused %s, %v", name, refused, err)
		}
		if made, err := os.ReadDir(dir); err != nil || (len(made) > 0) != want {
			t.Errorf("%.40s: %v %v", name, made, err)
		}
	}
}

// TestUnpackEndlessHeaders: headers without a file come to an end. Octets of zero pack a thousandfold,
// so that an archive of the size that is let in would keep the client busy for an hour.
func TestUnpackEndlessHeaders(t *testing.T) {
	const limit, large = 4 << 20, 1 << 20 // octets
	var text bytes.Buffer
	out := tar.NewWriter(&text)
	if err := out.WriteHeader(&tar.Header{Name: "x", Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		PAXRecords: map[string]string{"UPFLAB.x": strings.Repeat("0", large-100)}}); err != nil {
		t.Fatal(err)
	}
	header := text.Bytes()[:text.Len()-512] // of the file itself: the last block
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	for range 4 * limit / large {
		if _, err := zip.Write(header); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := zip.Write(text.Bytes()[text.Len()-512:]); err != nil { // a file follows: without a limit this is a result
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := unpackWithin(bytes.NewReader(packed.Bytes()), t.TempDir(), limit); err == nil {
		t.Errorf("%d octets of headers were read; %d are the most", 4*limit, limit)
	}
	if _, err := unpackWithin(bytes.NewReader(packed.Bytes()), t.TempDir(), 8*limit); err != nil {
		t.Error(err)
	}
}
