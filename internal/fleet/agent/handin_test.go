package agent

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// cutting cuts a file off as soon as something is written to it.
type cutting struct {
	path string
	cut  error
}

func (c *cutting) Write(p []byte) (int, error) {
	c.cut = errors.Join(c.cut, os.Truncate(c.path, 0))
	return len(p), nil
}

// TestPackShrinking: a file that becomes shorter while it is packed is an error, and not the end of
// a whole archive.
func TestPackShrinking(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.txt")
	text := make([]byte, 4<<20) // random, of which gzip writes as much as it reads
	rand.Read(text)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	to := &cutting{path: path}
	if err := packChunks(to, filepath.Dir(path)); err == nil || errors.Is(err, io.EOF) || to.cut != nil {
		t.Errorf("packed with %v, cut with %v", err, to.cut)
	}
}
