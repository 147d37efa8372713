package dut

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"io"
	"os"
	"strings"
)

// GoVersion identifies a Go program: the module version it was built as, or the
// commit, or, as a last resort, the start of the file's SHA-256.
func GoVersion(path string) string {
	if info, err := buildinfo.ReadFile(path); err == nil {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			return v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return "commit " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fileHash(path)
}

// GoCommit is the commit and day that a Go program was built from, or else what
// GoVersion says. Go's own version misleads where a module's path has no /v2: it then
// leaves out the tags v2.
func GoCommit(info *buildinfo.BuildInfo, path string) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision, when := settings["vcs.revision"], settings["vcs.time"]
	if len(revision) < 12 || len(when) < 10 {
		return GoVersion(path)
	}
	return revision[:12] + " of " + when[:10]
}

func fileHash(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return "sha256:" + strings.ToLower(hex.EncodeToString(h.Sum(nil))[:12])
}
