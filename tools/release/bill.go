package main

import (
	"debug/buildinfo"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bill is the bill of materials (SBOM) of a binary, in CycloneDX: the modules that the
// linker put into it, as the binary itself says.
func bill(out, arch, binary string, v version) (string, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return "", err
	}
	b := cdx.NewBOM()
	b.Metadata = &cdx.Metadata{
		Timestamp: v.date.Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: "upflab", Type: cdx.ComponentTypeApplication, Name: "upflab", Version: v.name,
			PackageURL: "pkg:golang/github.com/upflab/upflab@" + v.name, Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
		},
	}
	list := modules(info)
	b.Components = &list
	name := v.billName(arch)
	f, err := os.Create(filepath.Join(out, name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).Encode(b); err != nil {
		return "", err
	}
	return name, f.Close()
}

// modules are what the program has of others: Go's library first.
func modules(info *debug.BuildInfo) []cdx.Component {
	list := []cdx.Component{{
		BOMRef: "std", Type: cdx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion, PackageURL: "pkg:golang/std@" + info.GoVersion,
	}}
	for _, m := range info.Deps {
		list = append(list, component(m))
	}
	return list
}

// component is a module. Its sum is the one of go.sum, a hash of the module's tree and
// not of a file, so it is a property.
func component(m *debug.Module) cdx.Component {
	if m.Replace != nil {
		m = m.Replace
	}
	url := "pkg:golang/" + m.Path + "@" + m.Version
	return cdx.Component{
		BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url,
		Properties: &[]cdx.Property{{Name: "go:sum", Value: m.Sum}},
	}
}
