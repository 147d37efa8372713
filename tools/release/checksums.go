package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const sumsName = "SHA256SUMS"

// checksums writes what `sha256sum --check` reads.
func checksums(out string, names []string) (string, error) {
	names = slices.Sorted(slices.Values(names))
	var b strings.Builder
	for _, name := range names {
		body, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(body), name)
	}
	return sumsName, os.WriteFile(filepath.Join(out, sumsName), []byte(b.String()), 0o644)
}
