package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed recipes
var recipeTexts embed.FS

// Ways to install the archives without dpkg.
const (
	installerName = "install.sh"
	pkgbuildName  = "PKGBUILD" // of Arch Linux
)

// machineNames are the names that uname and Arch Linux give to Go's architectures.
var machineNames = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// recipes writes what installs a release's archives, which are in the folder already.
func recipes(out string, arches []string, v version) ([]string, error) {
	for name, fill := range map[string]func(string, []string, version) ([]byte, error){installerName: installer, pkgbuildName: pkgbuild} {
		text, err := fill(out, arches, v)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	return []string{installerName, pkgbuildName}, nil
}

// installer is the same for all releases: it reads the checksums of the one that it installs.
func installer(string, []string, version) ([]byte, error) {
	return recipeTexts.ReadFile("recipes/" + installerName)
}

// pkgbuild names the archives and their checksums.
func pkgbuild(out string, arches []string, v version) ([]byte, error) {
	type source struct{ Machine, Name, Sum string }
	// A version of Arch Linux's has no hyphen.
	data := struct {
		Package, Tag string
		Archives     []source
	}{Package: strings.ReplaceAll(v.plain(), "-", "_"), Tag: v.name}
	for _, arch := range arches {
		body, err := os.ReadFile(filepath.Join(out, v.archiveName(arch)))
		if err != nil {
			return nil, err
		}
		data.Archives = append(data.Archives, source{machineNames[arch], v.archiveName(arch), fmt.Sprintf("%x", sha256.Sum256(body))})
	}
	t, err := template.ParseFS(recipeTexts, "recipes/"+pkgbuildName)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
}
