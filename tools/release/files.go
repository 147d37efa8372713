package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is one that is installed.
type file struct {
	path string // absolute, on the machine where it is installed
	mode int64  // permissions
	body []byte
}

// Where what every package has is installed.
const (
	program     = "/usr/bin/upflab"
	licencePath = "/usr/share/doc/upflab/copyright"
	manualPath  = "/usr/share/man/man1/upflab.1.gz"
)

// common are the files that are the same for every architecture; host is a program that runs here.
func common(o options, host, work string, v version) (files []file, err error) {
	for _, part := range []func() ([]file, error){
		func() ([]file, error) { return manuals(o, work, v) },
		func() ([]file, error) { return completions(host) },
		func() ([]file, error) { return units(o.source) },
		func() ([]file, error) { return documents(o.source) },
	} {
		list, err := part()
		if err != nil {
			return nil, err
		}
		files = append(files, list...)
	}
	return files, nil
}

// with is the program of an architecture and what is common.
func with(binary string, shared []file) ([]file, error) {
	body, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	return append([]file{{program, 0o755, body}}, shared...), nil
}

// manuals are compressed, as Debian wants them.
func manuals(o options, work string, v version) (files []file, err error) {
	dir, err := manpages(o, work, v)
	if err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return nil, err
	}
	slices.Sort(pages)
	for _, page := range pages {
		body, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		if body, err = compress(body); err != nil {
			return nil, err
		}
		files = append(files, file{"/usr/share/man/man1/" + filepath.Base(page) + ".gz", 0o644, body})
	}
	return files, nil
}

// compress writes neither a name nor a time.
func compress(body []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// completions are where Debian's shells look.
func completions(host string) (files []file, err error) {
	for _, s := range [][2]string{
		{"bash", "/usr/share/bash-completion/completions/upflab"},
		{"zsh", "/usr/share/zsh/vendor-completions/_upflab"},
		{"fish", "/usr/share/fish/vendor_completions.d/upflab.fish"},
	} {
		body, err := completion(host, s[0])
		if err != nil {
			return nil, err
		}
		files = append(files, file{s[1], 0o644, body})
	}
	return files, nil
}

// units are the services, with the path that the package gives to the program.
func units(source string) (files []file, err error) {
	names, err := filepath.Glob(filepath.Join(source, "systemd", "*.service"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no units in %s/systemd: are these upflab's sources?", source)
	}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		body = []byte(strings.ReplaceAll(string(body), "/usr/local/bin/upflab", program))
		files = append(files, file{"/usr/lib/systemd/system/" + filepath.Base(name), 0o644, body})
	}
	return files, err
}

// documents go where Debian wants them; the copyright file is the licence. The dashboard is for Grafana.
func documents(source string) (files []file, err error) {
	for _, d := range [][2]string{{"LICENSE", "copyright"}, {"README.md", "README.md"}, {"SECURITY.md", "SECURITY.md"},
		{"grafana/upflab.json", "grafana-dashboard.json"}} {
		body, err := os.ReadFile(filepath.Join(source, d[0]))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"/usr/share/doc/upflab/" + d[1], 0o644, body})
	}
	return files, nil
}
