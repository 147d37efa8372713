package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"errors"
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
	// The installer is the same for all releases: it reads the checksums of the one that it installs.
	installer, err := recipeTexts.ReadFile("recipes/" + installerName)
	if err != nil {
		return nil, err
	}
	build, err := pkgbuild(out, arches, v)
	if err != nil {
		return nil, err
	}
	return []string{installerName, pkgbuildName}, errors.Join(
		os.WriteFile(filepath.Join(out, installerName), installer, 0o644), os.WriteFile(filepath.Join(out, pkgbuildName), build, 0o644))
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
