package main

import (
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// stop ends the services before their program is removed.
const stop = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl --no-reload disable --now upflab-upf.service upflab-serve.service 2>/dev/null || true
fi
`

// debian makes a package. It needs nothing: the program is static.
func debian(out, arch string, list []file, v version) (string, error) {
	work, err := os.MkdirTemp("", "upflab-deb-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	info := &nfpm.Info{
		Name: "upflab", Arch: arch, Platform: "linux", Version: v.debian(), VersionSchema: "none", MTime: v.date,
		Section: "net", Priority: "optional", Maintainer: "The upflab authors <upflab@users.noreply.github.com>",
		Homepage: "https://github.com/upflab/upflab", License: "Apache-2.0",
		Description: "laboratory for 5G user planes\n" +
			"upflab brings a UPF up, plays SMF, gNB, UEs and data network around it, loads it\n" +
			"over GTP-U, and reports how fast it was and what limited each number.",
	}
	info.Recommends = []string{"iperf3", "iputils-ping"}
	info.Suggests = []string{"podman | docker.io", "tshark"}
	info.Deb.Compression = "xz"
	if info.Scripts.PreRemove, err = write(work, "prerm", []byte(stop), 0o755); err != nil {
		return "", err
	}
	for _, x := range list {
		from, err := write(work, filepath.FromSlash(x.path), x.body, 0o644)
		if err != nil {
			return "", err
		}
		info.Contents = append(info.Contents, &files.Content{Source: from, Destination: x.path,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: os.FileMode(x.mode), MTime: v.date}})
	}
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return "", err
	}
	name := v.debName(arch)
	f, err := os.Create(filepath.Join(out, name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := (&deb.Deb{}).Package(info, f); err != nil {
		return "", err
	}
	return name, f.Close()
}

// write puts a file below a folder and gives its path.
func write(dir, name string, body []byte, mode os.FileMode) (string, error) {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, body, mode)
}
