package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const sumsName = "SHA256SUMS"

// checksums writes what `sha256sum --check` reads.
func checksums(out string, names []string) (string, error) {
	sums, err := sumsOf(out, names)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%s  %s\n", sums[name], name)
	}
	return sumsName, os.WriteFile(filepath.Join(out, sumsName), []byte(b.String()), 0o644)
}

// sumsOf gives the checksum of each of these files.
func sumsOf(dir string, names []string) (map[string]string, error) {
	sums := map[string]string{}
	for _, name := range names {
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		sums[name] = fmt.Sprintf("%x", sha256.Sum256(body))
	}
	return sums, nil
}

// checkSums: the files of a folder are those that its list has, with the same sums.
func checkSums(dir string) error {
	listed, err := readSums(filepath.Join(dir, sumsName))
	if err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, is := listed[f.Name()]; !is && !f.IsDir() && f.Name() != sumsName && f.Name() != signatureName {
			return fmt.Errorf("%s is in %s, but not in its %s", f.Name(), dir, sumsName)
		}
	}
	for name, want := range listed {
		body, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(body)); got != want {
			return fmt.Errorf("%s has the checksum %s, and %s in %s", name, got, want, sumsName)
		}
	}
	return nil
}

// readSums gives the checksum of each file that is listed.
func readSums(path string) (sums map[string]string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sums = map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		sum, name, is := strings.Cut(lines.Text(), "  ")
		if !is || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%s: %q is no checksum and name", path, lines.Text())
		}
		sums[name] = sum
	}
	return sums, lines.Err()
}
