// Package podlog writes a folder into a stream of text, such as the log of a container,
// and reads it from there. Reading a pod's log needs the least right that a cluster can
// give.
package podlog

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// kind is the type of the block: "-----BEGIN UPFLAB RESULT-----".
const kind = "UPFLAB RESULT"

// Begin is the line with which a folder begins.
const Begin = "-----BEGIN " + kind + "-----"

// End is its last line.
const End = "-----END " + kind + "-----"

// Limits of what is read: of all files together, octets, and their number.
const (
	sizeMax  = 1 << 30
	filesMax = 10000
)

// Write writes the regular files of a folder, and the exit status of what made them.
func Write(w io.Writer, dir string, status int) error {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	files := tar.NewWriter(zip)
	if err := files.AddFS(regular(dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("pack %s: %w", dir, err)
	}
	if err := errors.Join(files.Close(), zip.Close()); err != nil {
		return fmt.Errorf("pack %s: %w", dir, err)
	}
	sum := sha256.Sum256(packed.Bytes())
	return pem.Encode(w, &pem.Block{Type: kind, Bytes: packed.Bytes(),
		Headers: map[string]string{"Exit-Status": strconv.Itoa(status), "SHA-256": hex.EncodeToString(sum[:])}})
}

// Read reads what Write wrote, from its first line to its last, into a folder that exists,
// and gives the exit status. takes decides by its name, relative to the folder, whether a file is
// written: the pod is another host.
func Read(text []byte, dir string, takes func(name string) bool) (status int, err error) {
	b, _ := pem.Decode(text)
	if b == nil || b.Type != kind {
		return 0, errors.New("the result was cut off on its way: the log has no whole block")
	}
	if status, err = strconv.Atoi(b.Headers["Exit-Status"]); err != nil {
		return 0, fmt.Errorf("the result names no exit status: %w", err)
	}
	if sum := sha256.Sum256(b.Bytes); hex.EncodeToString(sum[:]) != b.Headers["SHA-256"] {
		return 0, errors.New("the result was changed on its way: its checksum is another")
	}
	zip, err := gzip.NewReader(bytes.NewReader(b.Bytes))
	if err != nil {
		return 0, fmt.Errorf("unpack the result: %w", err)
	}
	return status, unpack(tar.NewReader(io.LimitReader(zip, sizeMax)), dir, takes)
}

func unpack(files *tar.Reader, dir string, takes func(name string) bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for range filesMax {
		h, err := files.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("unpack the result: %w", err)
		case h.Typeflag == tar.TypeDir: // made with its files
		case h.Typeflag == tar.TypeReg && takes(h.Name):
			err = unpackFile(root, h.Name, files)
		case h.Typeflag == tar.TypeReg:
		default:
			err = fmt.Errorf("%q is no file", h.Name)
		}
		if err != nil {
			return fmt.Errorf("unpack the result: %w", err)
		}
	}
	return fmt.Errorf("unpack the result: it has over %d files", filesMax)
}

func unpackFile(root *os.Root, name string, from io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(filepath.Clean(name)), 0o755); err != nil {
		return err
	}
	f, err := root.Create(filepath.Clean(name))
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
