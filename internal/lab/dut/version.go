package dut

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"io"
	"os"
	"strconv"
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

// Older reports whether a version comes before another. It is false for what cannot be
// compared, such as a commit or a hash.
func Older(version, than string) bool {
	a, b := numbers(version), numbers(than)
	if a == nil || b == nil {
		return false
	}
	for i := range max(len(a), len(b)) {
		if x, y := at(a, i), at(b, i); x != y {
			return x < y
		}
	}
	return false
}

// numbers are those of "v2.8.0-12-gabc" and of "v2.8.0, part 1.2": 2, 8, 0; nil when it begins with none.
func numbers(version string) (list []int) {
	core, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	core, _, _ = strings.Cut(core, "+")
	core, _, _ = strings.Cut(core, ",") // what else it consists of
	for part := range strings.SplitSeq(core, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return list
		}
		list = append(list, n)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

func at(list []int, i int) int {
	if i < len(list) {
		return list[i]
	}
	return 0
}
